/** Why a stored document could not be read. `out-of-reach`: the system doesn't allow reading it now. */
export type StoreFault = 'empty' | 'unreadable' | 'out-of-reach'

/** The content of one file: its JSON, nothing, or why it can't be read. */
export type StoredDocument =
  | { readonly found: 'nothing' }
  | { readonly found: 'document'; readonly document: unknown }
  | { readonly found: 'fault'; readonly fault: StoreFault }

/** What both files contain. The last good copy is read synchronously when it is asked for: few launches need it. */
export interface StoredDocuments {
  readonly newest: StoredDocument
  readonly lastGood: StoredDocument
}

/** The result of a write. It is returned, never thrown. */
export type WriteOutcome =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: 'store-not-writable' | 'disk-full' }

/** JSON documents on disk: the newest and its last good copy. No call throws or rejects. */
export interface StorePort {
  /** Reads the newest file synchronously, because the launch decision waits for it. */
  read(): StoredDocuments
  /**
   * Writes the document atomically, then its copy.
   *
   * @param mayReplace called when the document is ready to replace the file, synchronously before it does. If it returns
   * `false`, nothing changes, and that isn't a failure. @default returns `true`
   * @param onReplaced called once, synchronously after the document replaced the file. Not called if it didn't.
   */
  write(document: JsonObject, mayReplace?: () => boolean, onReplaced?: () => void): Promise<WriteOutcome>
  /**
   * Writes the document atomically and synchronously, without a copy, because the process is about to exit.
   * Does nothing before the first {@link StorePort.write}.
   *
   * @param mayReplace as for {@link StorePort.write}.
   * @param onReplaced as for {@link StorePort.write}.
   */
  writeNow(document: JsonObject, mayReplace: () => boolean, onReplaced?: () => void): void
  /** Renames the newest file synchronously. It is never deleted. */
  setAside(): void
}

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: JsonValue
}

/** Any JSON value. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject
