/** Why a stored document could not be read; `out-of-reach`: the system does not let it be read now. */
export type StoreFault = 'empty' | 'unreadable' | 'out-of-reach'

/** One file's content: JSON as it was found, nothing there, or why it cannot be read. */
export type StoredDocument =
  | { readonly found: 'nothing' }
  | { readonly found: 'document'; readonly document: unknown }
  | { readonly found: 'fault'; readonly fault: StoreFault }

/** Outcome of a write. It is reported, never thrown. */
export type WriteOutcome =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: 'store-not-writable' | 'disk-full' }

/** JSON documents on disk: the newest and its last good copy. No call throws or rejects. */
export interface StorePort {
  /** Reads both files, synchronously: the launch decision waits for it. */
  read(): { readonly newest: StoredDocument; readonly lastGood: StoredDocument }
  /**
   * Writes the document atomically, then its copy.
   *
   * @param mayReplace asked when the document is ready to take its place; nothing is awaited between a yes and that.
   * With a no everything stays as it is, and that is no failure. @default yes
   */
  write(document: JsonObject, mayReplace?: () => boolean): Promise<WriteOutcome>
  /** Moves the newest file out of the way under a name of its own, synchronously; it is never deleted. */
  setAside(): void
}

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: JsonValue
}

/** Anything JSON can hold. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject
