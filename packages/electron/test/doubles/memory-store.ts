import type { JsonObject, StoredFile, StorePort, WriteOutcome } from '../../src/core/ports.ts'

/** Which of the two files is meant. */
export type StoreFile = 'newest' | 'lastGood'

/** Files that live in memory: they hold text, as real ones do, so that anything can be written into them. */
export interface MemoryStore extends StorePort {
  /** The text in each file; `null` where there is none. */
  readonly texts: Readonly<Record<StoreFile, string | null>>
  /** Texts that were set aside, oldest first. */
  readonly setAsideTexts: readonly string[]
  /** Number of writes that succeeded. */
  readonly writes: number
  /** What every write fails with from now on; `null` lets them succeed. */
  failure: Exclude<WriteOutcome, { ok: true }>['code'] | null
  /** Writes the newest file alone, as a process does that dies before it writes the copy. */
  diesBetweenFiles: boolean
  /** Puts a text into a file; `null` removes it. */
  place(file: StoreFile, text: string | null): void
}

/** Makes a store in memory, empty or with what another one held. */
export function createMemoryStore(start: Partial<Record<StoreFile, string | null>> = {}): MemoryStore {
  const texts: Record<StoreFile, string | null> = {
    newest: start.newest ?? null,
    lastGood: start.lastGood ?? null,
  }
  const setAsideTexts: string[] = []
  const ofOwners = new Map<string, string>()
  let writes = 0

  const moveAside = (file: StoreFile): void => {
    const text = texts[file]
    if (text !== null) setAsideTexts.push(text)
    texts[file] = null
  }

  return {
    texts,
    setAsideTexts,
    failure: null,
    diesBetweenFiles: false,
    get writes() {
      return writes
    },
    place(file, text) {
      texts[file] = text
    },
    read: () => ({ newest: readText(texts.newest), lastGood: readText(texts.lastGood) }),
    async write(json: JsonObject, mayReplace = () => true, onReplaced = () => {}) {
      if (!mayReplace()) return { ok: true }
      if (this.failure !== null) return { ok: false, code: this.failure }
      const text = JSON.stringify(json)
      for (const file of this.diesBetweenFiles ? (['newest'] as const) : (['newest', 'lastGood'] as const)) {
        if (readText(texts[file]).found === 'fault') moveAside(file)
        texts[file] = text
      }
      onReplaced()
      writes += 1
      return { ok: true }
    },
    writeNow(json, mayReplace, onReplaced = () => {}) {
      if (this.failure !== null || !mayReplace()) return
      texts.newest = JSON.stringify(json)
      onReplaced()
    },
    setAside(owner) {
      const earlier = ofOwners.get(owner ?? '')
      if (earlier !== undefined) setAsideTexts.splice(setAsideTexts.indexOf(earlier), 1)
      if (owner !== undefined && texts.newest !== null) ofOwners.set(owner, texts.newest)
      moveAside('newest')
    },
    readSetAside: (owner) => readText(ofOwners.get(owner) ?? null),
  }
}

function readText(text: string | null): StoredFile {
  if (text === null) return { found: 'nothing' }
  if (text.trim() === '') return { found: 'fault', fault: 'empty' }
  try {
    return { found: 'json', json: JSON.parse(text) }
  } catch {
    return { found: 'fault', fault: 'unreadable' }
  }
}
