import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { onTestFinished, vi } from 'vitest'

/** Another program that has a file open, as a virus scanner on Windows does. */
export interface FileHolder {
  isHeld: boolean
  /** How many attempts to move or replace the file have failed. */
  readonly failed: number
}

/**
 * Makes the system refuse to move or replace a file while it is held, until the test ends.
 *
 * @param code the code that the system answers with.
 */
export function createFileHolder(file: string, code = 'EPERM'): FileHolder {
  const { renameSync } = fs
  const { rename } = fs.promises
  let failed = 0
  const holder = {
    isHeld: false,
    get failed() {
      return failed
    },
  }
  const refuse = (...files: unknown[]): void => {
    if (!holder.isHeld || !files.includes(file)) return
    failed += 1
    throw Object.assign(new Error('held'), { code })
  }
  const spies = [
    vi.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
      refuse(from, to)
      renameSync(from, to)
    }),
    vi.spyOn(fs.promises, 'rename').mockImplementation(async (from, to) => {
      refuse(from, to)
      await rename(from, to)
    }),
  ]
  syncBuiltinESMExports()
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore()
    syncBuiltinESMExports()
  })
  return holder
}
