import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { dirname, join, parse } from 'node:path'
import type { JsonObject, StorePort, WriteOutcome } from '../../core/ports/store-port.ts'
import { sleep } from './sleep.ts'
import { errorCode, isDiskFull, readStoredFile } from './stored-file.ts'

/** Where the record is stored. */
export interface FileStoreOptions {
  /** Returns the absolute path of the folder. Called once, at the first use. */
  readonly directory: () => string
  /** Name of the file, without `.json`. */
  readonly name: string
  /** Moves a file, atomically replacing another one. @default renameSync */
  readonly rename?: (from: string, to: string) => void
}

/** The record in files. */
export interface FileStore extends StorePort {
  /** Synchronously finishes a write in progress, because the process is about to exit. Never throws. */
  finish(): void
}

/** Waiting times for a file that another program, such as a virus scanner, holds open: about three seconds in total. */
const pausesMs = [20, 40, 80, 160, 320, 640, 800, 1000]
const heldCodes: ReadonlySet<string> = new Set(['EPERM', 'EBUSY', 'EACCES'])
/** A temporary file older than this was left behind by a killed process, in milliseconds. */
const abandonedMs = 60 * 60 * 1000

/** A file that is being replaced. */
interface Replacement {
  readonly file: string
  readonly text: string
  readonly mayReplace: () => boolean
  readonly onReplaced: () => void
  isDone: boolean
}

/**
 * Keeps the record in two JSON files in electron-store's format: the newest, and a copy of the last good one. Each is
 * written to a temporary file, flushed, and renamed, so that a record is never half written.
 *
 * electron-store itself writes synchronously and blocks the whole app for a second while another program has the file
 * open.
 */
export function createFileStore(options: FileStoreOptions): FileStore {
  const { name, rename = renameSync } = options
  const copyName = `${name}.last-good`
  let directory: string | null = null
  let hasCleared = false
  let current: Replacement | null = null

  const fileOf = (fileName: string): string => {
    directory ??= options.directory()
    return join(directory, `${fileName}.json`)
  }

  async function replace(replacement: Replacement): Promise<void> {
    const { text } = replacement
    const temporary = temporaryFor(replacement.file)
    current = replacement
    try {
      await mkdir(dirname(temporary), { recursive: true, mode: 0o700 })
      await writeWhole(temporary, text)
      for (let attempt = 0; !settle(replacement, temporary, pausesMs[attempt] === undefined); attempt += 1) {
        await sleep(pausesMs[attempt])
      }
    } finally {
      current = null
      await rm(temporary, { force: true }).catch(() => {})
    }
  }

  /**
   * Moves a written file into place, unless it is no longer wanted. The check and the rename are synchronous.
   *
   * @returns whether it is finished; `false` if another program holds the file.
   */
  function settle(replacement: Replacement, temporary: string, isLastAttempt: boolean): boolean {
    const { file, mayReplace, onReplaced } = replacement
    try {
      if (replacement.isDone || !mayReplace()) return true
      if (readStoredFile(file).found === 'fault') moveAside(file, rename)
      rename(temporary, file)
      replacement.isDone = true
      onReplaced()
      return true
    } catch (error) {
      if (isLastAttempt || !heldCodes.has(errorCode(error))) throw error
      return false
    }
  }

  /** Replaces a file synchronously. Never throws: if it fails, the record on disk stays unchanged. */
  function replaceNow(replacement: Replacement): void {
    const temporary = temporaryFor(replacement.file)
    try {
      mkdirSync(dirname(temporary), { recursive: true, mode: 0o700 })
      writeWholeSync(temporary, replacement.text)
      settle(replacement, temporary, true)
      rmSync(temporary, { force: true })
    } catch {
      // Nothing can be reported anymore. A later launch removes the temporary file.
    }
  }

  /** Removes temporary files of killed processes. */
  async function clearAbandoned(): Promise<void> {
    if (hasCleared) return
    hasCleared = true
    const folder = dirname(fileOf(name))
    const names = await readdir(folder).catch(() => [])
    for (const found of names.filter((each) => each.startsWith(`${name}.`) && each.endsWith('.tmp'))) {
      const file = join(folder, found)
      const stats = await stat(file).catch(() => null)
      if (stats !== null && Date.now() - stats.mtimeMs > abandonedMs) await rm(file).catch(() => {})
    }
  }

  return {
    read: () => ({
      newest: readStoredFile(fileOf(name)),
      get lastGood() {
        return readStoredFile(fileOf(copyName))
      },
    }),

    async write(document, mayReplace = () => true, onReplaced = () => {}) {
      const text = textOf(document)
      const newest: Replacement = { file: fileOf(name), text, mayReplace, onReplaced, isDone: false }
      const copy: Replacement = { ...newest, file: fileOf(copyName), mayReplace: () => true, onReplaced() {} }
      try {
        await replace(newest)
      } catch (error) {
        return { ok: false, code: failureOf(error) }
      }
      // The record is already saved. If copying fails, the next write tries again.
      if (newest.isDone) await replace(copy).catch(() => {})
      await clearAbandoned()
      return { ok: true }
    },

    writeNow(document, mayReplace, onReplaced = () => {}) {
      replaceNow({ file: fileOf(name), text: textOf(document), mayReplace, onReplaced, isDone: false })
    },

    setAside() {
      moveAside(fileOf(name), rename)
    },

    finish() {
      if (current !== null && !current.isDone) replaceNow(current)
    },
  }
}

/** Returns a document as text, in electron-store's format. */
function textOf(document: JsonObject): string {
  return JSON.stringify(document, undefined, '\t')
}

function temporaryFor(file: string): string {
  return `${file}.${randomBytes(6).toString('hex')}.tmp`
}

async function writeWhole(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function writeWholeSync(file: string, text: string): void {
  const descriptor = openSync(file, 'wx', 0o600)
  try {
    writeFileSync(descriptor, text)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Renames a file to a unique name in the same folder. Never throws. If it fails, the next write reports the problem.
 */
function moveAside(file: string, rename: NonNullable<FileStoreOptions['rename']>): void {
  try {
    if (!existsSync(file)) return
    const { dir, name, ext } = parse(file)
    const moment = new Date().toISOString().replaceAll('-', '').replaceAll(':', '').replace('.', '')
    let target = join(dir, `${name}.set-aside-${moment}${ext}`)
    for (let count = 2; existsSync(target); count += 1) {
      target = join(dir, `${name}.set-aside-${moment}-${count}${ext}`)
    }
    rename(file, target)
  } catch {}
}

function failureOf(error: unknown): Exclude<WriteOutcome, { ok: true }>['code'] {
  return isDiskFull(error) ? 'disk-full' : 'store-not-writable'
}
