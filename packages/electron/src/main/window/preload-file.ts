import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
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
 * Writes the bundled preload script to a file, because Electron only takes a path. It is written anew for every window, so
 * that nobody can have changed it.
 *
 * @returns the file's path.
 * @throws if none of the folders is writable.
 */
export function writePreloadFile({ script, directory, temporaryDirectory }: PreloadFileOptions): string {
  const name = `preload-${createHash('sha256').update(script).digest('hex').slice(0, 16)}.cjs`
  try {
    return writeCopy(script, directory, name)
  } catch {
    // A user with a read-only app folder must still be able to see the activation window. Other users can write to the
    // folder for temporary files, so this one is new and private.
    return writeCopy(script, mkdtempSync(path.join(temporaryDirectory, 'latchkey-')), name)
  }
}

function writeCopy(script: string, directory: string, name: string): string {
  const file = path.join(directory, name)
  const temporary = path.join(directory, `preload-${randomUUID()}.tmp`)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  try {
    writeFileSync(temporary, script, { mode: 0o600, flag: 'wx' })
    renameSync(temporary, file)
  } finally {
    rmSync(temporary, { force: true })
  }
  return file
}
