import { createHash, randomUUID } from 'node:crypto'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'

/** Where to write the preload script. */
export interface PreloadFileOptions {
  /** The bundled script. */
  readonly script: string
  readonly directory: string
  /** Folder for temporary files, used if `directory` isn't writable. */
  readonly temporaryDirectory: string
}

/**
 * Returns the path of a file with exactly the bundled preload script, because Electron only takes a path. The file is
 * written once and compared before every use.
 *
 * @throws if none of the folders is writable.
 */
export function ensurePreloadFile({ script, directory, temporaryDirectory }: PreloadFileOptions): string {
  const name = `preload-${createHash('sha256').update(script).digest('hex').slice(0, 16)}.cjs`
  try {
    return ensureCopy(script, directory, name)
  } catch {
    // A user with a read-only app folder must still be able to see the activation window. Other users can write to the
    // folder for temporary files, so this one is new and private.
    return ensureCopy(script, mkdtempSync(path.join(temporaryDirectory, 'latchkey-')), name)
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

function holds(file: string, script: string): boolean {
  try {
    return readFileSync(file, 'utf8') === script
  } catch {
    return false
  }
}
