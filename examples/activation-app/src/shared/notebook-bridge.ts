/** A note in the list. */
export interface NoteSummary {
  /** The file's name without `.md`; it identifies the note. */
  readonly name: string
  /** When it was last written, as an ISO 8601 UTC timestamp. */
  readonly modifiedAt: string
  /** The beginning of its text, or the line that matches the search. */
  readonly excerpt: string
}

/** The main process's result: the value, or a sentence for the user. */
export type Answer<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly message: string }

/** The API that the preload script exposes as `window.notebook`. */
export interface NotebookBridge {
  /** Notes whose name or text contains the query, newest first; an empty query lists all. */
  list(query: string): Promise<Answer<readonly NoteSummary[]>>
  read(name: string): Promise<Answer<string>>
  write(name: string, text: string): Promise<Answer<void>>
  /** The same, but synchronous, for when the page is about to close. */
  writeNow(name: string, text: string): Answer<void>
  /** @returns the new note's name. */
  create(): Promise<Answer<string>>
  rename(name: string, newName: string): Promise<Answer<void>>
  /** Moves the note to the notebook's trash. */
  remove(name: string): Promise<Answer<void>>
  /** Restores the note from the trash. */
  restore(name: string): Promise<Answer<void>>
  /** Asks where to save a note as HTML. @returns the file's name; `null` if the user canceled. */
  exportNote(name: string, html: string): Promise<Answer<string | null>>
  /** Looks for a newer version. @returns `null` if there is none. */
  findUpdate(): Promise<Answer<FoundUpdate | null>>
}

/** A newer version of Inkwell. */
export interface FoundUpdate {
  readonly version: string
  /** Whether the license covers it. */
  readonly isCovered: boolean
}
