import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, statSync } from 'node:fs'
import { chmod, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, parse } from 'node:path'
import type { LastList } from '@latchkey/services'
import type ElectronStore from 'electron-store'
import type { JsonObject, StoredFile, StorePort } from '../../core/ports.ts'
import { sleep } from './time.ts'

/** Where the record is stored. */
export interface FileStoreOptions {
  /** Returns the absolute path of the folder. Called once, at the first use. */
  readonly directory: () => string
  /** Name of the file, without `.json`. */
  readonly name: string
}

/** The record in files. */
export interface FileStore extends StorePort {
  /** Keeps the last signed list of an adapter beside the record. Without a folder, there is no record to protect. */
  readonly lastList: LastList
  /** Loads what the first write needs. */
  prepare(): Promise<unknown>
  /** Synchronously finishes a write in progress, because the process is about to exit. Never throws. */
  finish(): void
}

/** A virus scanner or a backup that has the file open. */
const heldCodes: ReadonlySet<string> = new Set(['EPERM', 'EBUSY', 'EACCES'])
/** How long to wait for such a program, in milliseconds. */
const longestHeldMs = 3_000
const pauseMs = 50

/**
 * Keeps the record in two files of electron-store: the newest, and a copy of the last good one.
 *
 * The launch reads them without electron-store, which is loaded with the first write: loading it takes longer than
 * everything else that Latchkey does before the first window.
 */
export function createFileStore(options: FileStoreOptions): FileStore {
  const names = { newest: options.name, lastGood: `${options.name}.last-good` }
  const stores = new Map<string, ElectronStore>()
  let Store: typeof ElectronStore | null = null
  let directory: string | null = null
  /** Finishes the write in progress. */
  let finish: (() => void) | null = null

  function folder(): string {
    directory ??= options.directory()
    return directory
  }

  function fileOf(name: string): string {
    return join(folder(), `${name}.json`)
  }

  async function prepare(): Promise<typeof ElectronStore> {
    Store ??= (await import('electron-store')).default
    return Store
  }

  /** Replaces a file synchronously. */
  function replace(name: string, json: JsonObject, StoreClass: typeof ElectronStore): void {
    if (readStoredFile(fileOf(name)).found === 'fault') moveAside(fileOf(name))
    const store =
      stores.get(name) ??
      new StoreClass({ cwd: folder(), name, configFileMode: 0o600, clearInvalidConfig: false })
    stores.set(name, store)
    store.store = { ...json }
  }

  const fileFor = (owner: string): string => fileOf(`${options.name}.set-aside-${owner}`)
  const listFile = (): string => fileOf(`${options.name}.list`)

  return {
    lastList: {
      read: () => readFile(listFile(), 'utf8').catch(() => null),
      write: (text) => writeFile(listFile(), text, { mode: 0o600 }).catch(() => {}),
    },

    read: () => ({
      newest: readStoredFile(fileOf(names.newest)),
      get lastGood() {
        return readStoredFile(fileOf(names.lastGood))
      },
    }),

    async write(json, mayReplace = () => true, onReplaced = () => {}) {
      let isReplaced = false
      try {
        await mkdir(folder(), { recursive: true, mode: 0o700 })
        await tryOut(fileOf(names.newest), json)
        const StoreClass = await prepare()
        const replaceNewest = (): void => {
          if (isReplaced || !mayReplace()) return
          replace(names.newest, json, StoreClass)
          isReplaced = true
          onReplaced()
        }
        finish = replaceNewest
        await waitWhileHeld(fileOf(names.newest))
        replaceNewest()
        if (!isReplaced) return { ok: true }
      } catch (error) {
        return { ok: false, code: isDiskFull(error) ? 'disk-full' : 'store-not-writable' }
      } finally {
        finish = null
      }
      try {
        await waitWhileHeld(fileOf(names.lastGood))
        replace(names.lastGood, json, await prepare())
      } catch {
        // The record is already saved. The next write tries to copy it again.
      }
      return { ok: true }
    },

    writeNow(json, mayReplace, onReplaced = () => {}) {
      try {
        if (Store === null || !mayReplace()) return
        replace(names.newest, json, Store)
        onReplaced()
      } catch {
        // The record on disk stays unchanged, and nothing can be reported anymore.
      }
    },

    setAside(owner) {
      moveAside(fileOf(names.newest), owner === undefined ? undefined : fileFor(owner))
    },

    readSetAside: (owner) => readStoredFile(fileFor(owner)),

    prepare,

    finish() {
      try {
        finish?.()
      } catch {
        // As in `writeNow`.
      }
    },
  }
}

/**
 * Writes a record beside the file it is meant for. On a full disk or in a folder that takes no files, this fails, and
 * electron-store isn't asked: it would leave half a record, or try again synchronously for a second.
 */
async function tryOut(file: string, json: JsonObject): Promise<void> {
  const trial = `${file}.tmp-${randomBytes(6).toString('hex')}`
  try {
    await writeFile(trial, JSON.stringify(json, undefined, '\t'), { flag: 'wx', mode: 0o600 })
  } finally {
    await rm(trial, { force: true }).catch(() => {})
  }
}

/**
 * Waits while another program has the file open, so that it can't be written or replaced. electron-store would try again
 * without a pause, and block the whole app.
 *
 * @throws the system's error if that takes too long.
 */
async function waitWhileHeld(file: string): Promise<void> {
  const untilMs = performance.now() + longestHeldMs
  for (;;) {
    try {
      const handle = await open(file, 'r+')
      await handle.close()
      // Windows allows writing to some files that can't be replaced. Renaming a file to its own name changes nothing.
      await rename(file, file)
      return
    } catch (error) {
      if (!heldCodes.has(errorCode(error))) return
      if (performance.now() > untilMs) throw error
      // A file from a backup may be read-only, which looks the same.
      await chmod(file, 0o600).catch(() => {})
      await sleep(pauseMs)
    }
  }
}

/**
 * Renames a file, by default to a unique name in the same folder. Never throws. If it fails, the next write reports the
 * problem.
 */
function moveAside(file: string, fixed?: string): void {
  try {
    if (!existsSync(file)) return
    const { dir, name, ext } = parse(file)
    const moment = new Date().toISOString().replaceAll('-', '').replaceAll(':', '').replace('.', '')
    renameSync(
      file,
      fixed ?? join(dir, `${name}.set-aside-${moment}-${randomBytes(2).toString('hex')}${ext}`),
    )
  } catch {}
}

/** A record is a few kilobytes. A larger file wasn't written by Latchkey. */
const maxFileBytes = 1024 * 1024

/** Reads a JSON file synchronously. Never throws: if it can't be read, the result is a fault. */
function readStoredFile(file: string): StoredFile {
  try {
    const stats = statSync(file, { throwIfNoEntry: false })
    if (stats === undefined) return { found: 'nothing' }
    // Reading a pipe or a device in its place would block forever.
    if (!stats.isFile() || stats.size > maxFileBytes) return unreadable
    const text = readFileSync(file, 'utf8')
    if (text.trim() === '') return { found: 'fault', fault: 'empty' }
    return { found: 'json', json: JSON.parse(text) }
  } catch (error) {
    // If the folder is actually a file, no record can exist below it.
    const code = errorCode(error)
    if (code === 'ENOTDIR') return { found: 'nothing' }
    // Only a file that was read can be damaged. A virus scanner or a backup will release it soon.
    return code === '' ? unreadable : { found: 'fault', fault: 'out-of-reach' }
  }
}

const unreadable: StoredFile = { found: 'fault', fault: 'unreadable' }

/** Returns the system's code of a failed file operation, such as `ENOSPC`; an empty string if there is none. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

const fullDiskCodes: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT'])

/** Whether a file operation failed because there is no space left. */
export function isDiskFull(error: unknown): boolean {
  return fullDiskCodes.has(errorCode(error))
}
