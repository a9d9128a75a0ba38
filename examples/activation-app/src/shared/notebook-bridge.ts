/** A note as the list shows it. */
export interface NoteSummary {
  /** The file's name without `.md`; it identifies the note. */
  readonly name: string
  /** When it was last written, ISO 8601 UTC. */
  readonly modifiedAt: string
  /** The beginning of its text, or the line that matches the search. */
  readonly excerpt: string
}

/** What the main process answers: the value, or a sentence for the user. */
export type Answer<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly message: string }

/** What the preload puts on `window.notebook`. */
export interface NotebookBridge {
  /** Notes whose name or text contains the query, newest first; an empty query lists all. */
  list(query: string): Promise<Answer<readonly NoteSummary[]>>
  read(name: string): Promise<Answer<string>>
  write(name: string, text: string): Promise<Answer<void>>
  /** The same, finished when it returns: for the moment the page goes away. */
  writeNow(name: string, text: string): Answer<void>
  /** @returns the new note's name. */
  create(): Promise<Answer<string>>
  rename(name: string, newName: string): Promise<Answer<void>>
  /** Puts the note into the notebook's trash. */
  remove(name: string): Promise<Answer<void>>
  /** Takes it out again. */
  restore(name: string): Promise<Answer<void>>
}
