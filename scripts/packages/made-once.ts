import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { cachePath } from '../workspace/repository.ts'

/** The age at which a lock is assumed to be left by a process that died. */
const staleLockMs = 180_000

/**
 * Returns a cached folder that is created at most once, even if several processes need it at the same time.
 *
 * @param name of the folder; it must change with everything the content depends on.
 * @param make fills an empty folder, which is moved to its place once that succeeded.
 */
export async function madeOnce(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const target = path.join(cachePath, name)
  const lock = `${target}.lock`
  await mkdir(path.dirname(target), { recursive: true })
  while (!existsSync(target)) {
    if (!(await tryLock(lock))) {
      await pause(100)
      continue
    }
    try {
      if (existsSync(target)) break
      const folder = await mkdtemp(`${target}-`)
      try {
        await make(folder)
        await rename(folder, target)
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    } finally {
      await rm(lock, { recursive: true, force: true })
    }
  }
  return target
}

async function tryLock(lock: string): Promise<boolean> {
  try {
    await mkdir(lock)
    return true
  } catch {
    const age = await stat(lock).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    )
    if (age > staleLockMs) await rm(lock, { recursive: true, force: true })
    return false
  }
}
