import { createHash, randomUUID } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'

/** Where to find the preload script, and where to write it. */
export interface PreloadFileOptions {
  /** The bundled script. */
  readonly script: string
  /** Folder or archive of the app. If the package isn't bundled, its `preload.cjs` is found from here. */
  readonly appPath: string
  /** Folder to write the script to if it isn't found. */
  readonly directory: string
  /** Folder for temporary files, used if `directory` isn't writable. */
  readonly temporaryDirectory: string
}

/**
 * Returns the path of a file with exactly the bundled preload script, because Electron only takes a path. Uses the
 * installed package's file if it exists; otherwise a copy, which is written once and compared before every use.
 *
 * @throws if none of the folders is writable.
 */
export function ensurePreloadFile(options: PreloadFileOptions): string {
  const { script, directory, temporaryDirectory } = options
  const name = `preload-${createHash('sha256').update(script).digest('hex').slice(0, 16)}.cjs`
  // A bundled app has a copy from its second launch on, and needs no search.
  const installed = existsSync(path.join(directory, name)) ? null : findInstalled(options.appPath)
  if (installed !== null && holds(installed, script)) return installed
  try {
    return ensureCopy(script, directory, name)
  } catch {
    // A user with a read-only app folder must still be able to see the activation window.
    return ensureCopy(script, ensureTemporaryFolder(temporaryDirectory), name)
  }
}

function ensureCopy(script: string, directory: string, name: string): string {
  const file = path.join(directory, name)
  if (!holds(file, script)) {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    const temporary = path.join(directory, `preload-${randomUUID()}.tmp`)
    try {
      writeFileSync(temporary, script, { mode: 0o600, flag: 'wx' })
      renameSync(temporary, file)
    } finally {
      rmSync(temporary, { force: true })
    }
  }
  // Anyone with write access could change the file after the comparison.
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600)
  return file
}

/**
 * Creates a folder that the next launch finds again. If the parent is shared, another user may have created it first.
 */
function ensureTemporaryFolder(parent: string): string {
  const folder = path.join(parent, `latchkey-${process.getuid?.() ?? 'user'}`)
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch {
    // It probably exists already. Any other problem is found below.
  }
  return isPrivate(folder) ? folder : mkdtempSync(path.join(parent, 'latchkey-'))
}

function isPrivate(folder: string): boolean {
  const stats = lstatSync(folder)
  const isOwn = stats.uid === process.getuid?.() && (stats.mode & 0o777) === 0o700
  // Windows has neither, and gives every user a temporary folder of their own.
  return stats.isDirectory() && (isOwn || process.platform === 'win32')
}

/**
 * Returns the installed package's file, as Node would find it. Node's own search reads many files, and the user of a
 * bundled app, which has no such file, would wait for it.
 */
function findInstalled(appPath: string): string | null {
  const folder = path.dirname(appPath)
  const file = path.join(appPath, 'node_modules', '@latchkey', 'electron', 'dist', 'preload.cjs')
  if (existsSync(file)) return file
  return folder === appPath ? null : findInstalled(folder)
}

function holds(file: string, script: string): boolean {
  try {
    return readFileSync(file, 'utf8') === script
  } catch {
    return false
  }
}
