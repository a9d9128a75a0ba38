import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { JsonObject, StorePort, WriteOutcome } from '../core/ports/store-port.ts'
import { isDiskFull, readStoredFile } from './stored-file.ts'

/** The part of an electron-store that is used: assigning `store` replaces the file atomically. */
export interface JsonFile {
  store: Record<string, unknown>
}

/** What electron-store is told about one file. */
export interface JsonFileOptions {
  readonly cwd: string
  readonly name: string
  readonly configFileMode: number
  readonly clearInvalidConfig: false
}

/** Where the record lies, and what writes it. */
export interface ElectronStoreStoreOptions {
  /** Absolute path of the folder; asked once, at the first use. */
  readonly directory: () => string
  /** Name of the file, without `.json`. */
  readonly name: string
  /** Opens an electron-store; called before the first write, never for reading. */
  readonly open: (options: JsonFileOptions) => Promise<JsonFile>
}

/**
 * Keeps the record in two electron-store files: the newest, and the copy of the last one known to be whole.
 *
 * It reads by itself: electron-store throws on a file that is empty or torn, and that is what has to be told apart.
 */
export function createElectronStoreStore(options: ElectronStoreStoreOptions): StorePort {
  const { name, open } = options
  const copyName = `${name}.last-good`
  const opened = new Map<string, JsonFile>()
  let directory: string | null = null

  const fileOf = (fileName: string): string => {
    directory ??= options.directory()
    return path.join(directory, `${fileName}.json`)
  }

  async function replace(fileName: string, document: JsonObject): Promise<void> {
    const file = fileOf(fileName)
    if (readStoredFile(file).found === 'fault') moveAside(file)
    const store =
      opened.get(fileName) ??
      (await open({
        cwd: path.dirname(file),
        name: fileName,
        configFileMode: 0o600,
        clearInvalidConfig: false,
      }))
    opened.set(fileName, store)
    store.store = { ...document }
    // A disk with room for half of it takes half of it, and nobody says a word.
    const written = readStoredFile(file)
    if (written.found !== 'document' || !isDeepStrictEqual(written.document, toJson(document))) {
      throw Object.assign(new Error('The file does not hold what was written'), { code: 'ENOSPC' })
    }
  }

  return {
    read: () => ({ newest: readStoredFile(fileOf(name)), lastGood: readStoredFile(fileOf(copyName)) }),

    async write(document) {
      try {
        proveWritable(path.dirname(fileOf(name)))
        await replace(name, document)
      } catch (error) {
        return { ok: false, code: failureOf(error) }
      }
      // The record is safe by now; a copy that could not be made is made at the next write.
      await replace(copyName, document).catch(() => undefined)
      return { ok: true }
    },

    async setAside() {
      moveAside(fileOf(name))
    },
  }
}

/**
 * @throws what the system says. electron-store would try again for a whole second, with the app standing still.
 */
function proveWritable(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const probe = path.join(directory, '.writable')
  writeFileSync(probe, '', { mode: 0o600 })
  rmSync(probe, { force: true })
}

/** Renames what lies at a path to a name of its own beside it. Never throws; what stays is met again at the write. */
function moveAside(file: string): void {
  try {
    if (!existsSync(file)) return
    const { dir, name, ext } = path.parse(file)
    const moment = new Date().toISOString().replace(/[-:.]/gu, '')
    let target = path.join(dir, `${name}.set-aside-${moment}${ext}`)
    for (let count = 2; existsSync(target); count += 1) {
      target = path.join(dir, `${name}.set-aside-${moment}-${count}${ext}`)
    }
    renameSync(file, target)
  } catch {}
}

function failureOf(error: unknown): Exclude<WriteOutcome, { ok: true }>['code'] {
  return isDiskFull(error) ? 'disk-full' : 'store-not-writable'
}

function toJson(document: JsonObject): unknown {
  return JSON.parse(JSON.stringify(document))
}
