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
  /** Writes the document atomically, then its copy. */
  write(document: JsonObject): Promise<WriteOutcome>
  /** Moves the newest file out of the way under a name of its own; it is never deleted. */
  setAside(): Promise<void>
}

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: JsonValue
}

/** Anything JSON can hold. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject
