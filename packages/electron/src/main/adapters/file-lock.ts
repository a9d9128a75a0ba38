import { randomUUID } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { mkdir, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { LockPort, Logger } from '../../core/ports.ts'
import { errorCode } from './file-store.ts'
import { sleep } from './time.ts'

/** Options of the lock. */
export interface FileLockOptions {
  /** Returns the absolute path of the folder. Called at the first use. */
  readonly directory: () => string
  /** Name of the lock file, without `.lock`. */
  readonly name: string
  readonly logger: Logger
  /** How long to wait for another process, in milliseconds. @default 45000 */
  readonly longestWaitMs?: number
  /** A lock not renewed for this long was left behind by a killed process, in milliseconds. @default 10000 */
  readonly staleMs?: number
}

/** A lock in a file. */
export interface FileLock extends LockPort {
  /**
   * Removes the file at once if this process holds the lock, because the process exits. Otherwise, the next one would wait
   * until the lock is stale.
   */
  leave(): void
}

/** Windows returns these codes while a virus scanner holds a lock file that is being removed. */
const heldCodes: ReadonlySet<string> = new Set(['EPERM', 'EBUSY'])
/** After this time, the same codes mean that the folder isn't writable, in milliseconds. */
const longestHeldMs = 2_000

const pauseMs = 50

/**
 * Creates a lock between processes: a file that only one of them can create, and that its owner renews while it works.
 *
 * Libraries such as proper-lockfile install signal handlers. With a handler for SIGTERM, Electron no longer quits
 * cleanly.
 */
export function createFileLock(options: FileLockOptions): FileLock {
  const { logger, longestWaitMs = 45_000, staleMs = 10_000 } = options
  /** Files by their owner. */
  const held = new Map<string, string>()
  let hasEnded = false
  let isReported = false

  function lockFile(): string {
    return join(options.directory(), `${options.name}.lock`)
  }

  /** Creates the file. A file without an owner would be taken for another process's lock, so none stays on a full disk. */
  async function take(file: string, owner: string): Promise<void> {
    const created = await open(file, 'wx', 0o600)
    try {
      await created.writeFile(owner).finally(() => created.close())
    } catch (error) {
      await rm(file, { force: true }).catch(() => {})
      throw error
    }
  }

  async function removeIfStale(file: string): Promise<void> {
    // It is read before the age is checked. A lock that another process creates after that has another owner.
    const owner = await readFile(file, 'utf8').catch(() => '')
    const stats = await stat(file).catch(() => null)
    // A renewal time in the future means that the lock was left behind while the clock was ahead.
    if (stats === null || Math.abs(Date.now() - stats.mtimeMs) < staleMs) return
    const aside = `${file}.${randomUUID()}`
    await rename(file, aside).catch(() => {})
    // Another process may have removed the stale lock and created its own in the meantime. Give that one back.
    const taken = await readFile(aside, 'utf8').catch(() => owner)
    if (taken !== owner) await rename(aside, file).catch(() => {})
    await rm(aside, { force: true }).catch(() => {})
  }

  function hold(file: string, owner: string): () => Promise<void> {
    const renew = (): void => {
      const now = new Date()
      utimes(file, now, now).catch(() => {})
    }
    const timer = setInterval(renew, staleMs / 5)
    timer.unref()
    held.set(owner, file)
    return async () => {
      clearInterval(timer)
      held.delete(owner)
      const holder = await readFile(file, 'utf8').catch(() => '')
      if (holder === owner) await rm(file, { force: true }).catch(() => {})
    }
  }

  return {
    async acquire() {
      const owner = randomUUID()
      const untilMs = performance.now() + longestWaitMs
      try {
        const file = lockFile()
        await mkdir(dirname(file), { recursive: true, mode: 0o700 })
        let refusedSinceMs: number | null = null
        while (!hasEnded && performance.now() < untilMs) {
          try {
            await take(file, owner)
            return { kind: 'held', release: hold(file, owner) }
          } catch (error) {
            if (errorCode(error) === 'EEXIST') {
              refusedSinceMs = null
              await removeIfStale(file)
            } else {
              refusedSinceMs ??= performance.now()
              const isTooLong = performance.now() - refusedSinceMs > longestHeldMs
              if (isTooLong || !heldCodes.has(errorCode(error))) throw error
            }
          }
          await sleep(pauseMs)
        }
        if (hasEnded) return { kind: 'ended' }
        logger.warn(
          'Another process of this app holds the lock of the license record: continuing without the lock',
        )
        return { kind: 'busy' }
      } catch (error) {
        // An unwritable folder is logged once. The record reports it with its own problem code.
        if (!isReported)
          logger.warn(`The license record cannot be locked (${errorCode(error) || 'unexpected'})`)
        isReported = true
        return { kind: 'unavailable' }
      }
    },
    end() {
      hasEnded = true
    },
    leave() {
      hasEnded = true
      for (const [owner, file] of held) {
        try {
          if (readFileSync(file, 'utf8') === owner) rmSync(file, { force: true })
        } catch {
          // The lock will be stale soon.
        }
      }
    },
  }
}
