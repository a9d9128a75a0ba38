import { createHash, randomUUID } from 'node:crypto'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

/** Where to look for the preload script, and where to put it. */
export interface PreloadFileOptions {
  /** The bundled script. */
  readonly script: string
  /** Folder or archive of the app: when the package was not bundled, its `preload.cjs` is found from here. */
  readonly appPath: string
  /** Folder the script is written to when it lies nowhere. */
  readonly directory: string
  /** Folder for short-lived files, for when the other one cannot be written to. */
  readonly temporaryDirectory: string
}

/**
 * A file that holds exactly the bundled preload script: Electron takes a preload by path only. The installed
 * package's own where there is one; otherwise a copy, written once and compared before every use.
 *
 * @throws when none of the folders can be written to.
 */
export function ensurePreloadFile(options: PreloadFileOptions): string {
  const { script, directory, temporaryDirectory } = options
  const installed = findInstalled(options.appPath)
  if (installed !== null && holds(installed, script)) return installed
  try {
    return ensureCopy(script, directory)
  } catch {
    // A user whose app folder is read-only still has to get at the activation screen.
    return ensureCopy(script, ensureTemporaryFolder(temporaryDirectory))
  }
}

function ensureCopy(script: string, directory: string): string {
  const hash = createHash('sha256').update(script).digest('hex').slice(0, 16)
  const file = path.join(directory, `preload-${hash}.cjs`)
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
  // Whoever could write to it could change it after the comparison.
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600)
  return file
}

/** A folder the next start finds again. Where others share the parent, one of them may have been there first. */
function ensureTemporaryFolder(parent: string): string {
  const folder = path.join(parent, `latchkey-${process.getuid?.() ?? 'user'}`)
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch {
    // Most likely it is there already; whatever else it is shows now.
  }
  return isPrivate(folder) ? folder : mkdtempSync(path.join(parent, 'latchkey-'))
}

function isPrivate(folder: string): boolean {
  const stats = lstatSync(folder)
  const isOwn = stats.uid === process.getuid?.() && (stats.mode & 0o777) === 0o700
  // Windows knows neither, and gives every user a folder of their own.
  return stats.isDirectory() && (isOwn || process.platform === 'win32')
}

function findInstalled(appPath: string): string | null {
  try {
    return createRequire(path.join(appPath, 'package.json')).resolve('@latchkey/electron/preload.cjs')
  } catch {
    return null
  }
}

function holds(file: string, script: string): boolean {
  try {
    return readFileSync(file, 'utf8') === script
  } catch {
    return false
  }
}
