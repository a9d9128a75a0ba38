import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LockPort } from '../../core/ports/lock-port.ts'
import type { Logger } from '../../core/ports/logger-port.ts'
import { errorCode } from './stored-file.ts'

/** Where the lock is, and who is notified when it cannot be used. */
export interface FileLockOptions {
  /** Absolute path of the folder; read at the first use. */
  readonly directory: () => string
  /** Name of the lock file, without `.lock`. */
  readonly name: string
  readonly logger: Logger
  /** How long to wait for another process, in milliseconds. @default 20000 */
  readonly longestWaitMs?: number
  /** A lock that was not renewed for this long was left behind by a killed process, in milliseconds. @default 10000 */
  readonly staleMs?: number
  /** Creates the file, and fails when there is one. @default writeFile with the flag `wx` */
  readonly create?: (file: string, owner: string) => Promise<void>
}

/** Windows answers so for a lock file that is being removed, and that a virus scanner still holds open. */
const heldCodes: ReadonlySet<string> = new Set(['EPERM', 'EBUSY'])
/** A folder that takes no files answers the same, for longer than this, in milliseconds. */
const longestHeldMs = 2_000

const pauseMs = 50

/**
 * A lock between processes: a file that only one of them can create, and that its owner renews while it works.
 *
 * proper-lockfile and its kind would do the same, but they install signal handlers, and with one for SIGTERM Electron no
 * longer quits in an orderly way.
 */
export function createFileLock(options: FileLockOptions): LockPort {
  const { logger, longestWaitMs = 20_000, staleMs = 10_000, create = createFile } = options
  let hasEnded = false
  let isReported = false

  function lockFile(): string {
    return path.join(options.directory(), `${options.name}.lock`)
  }

  /** @param mayBeHeld whether a file that cannot be used is waited for. */
  async function tryOnce(
    file: string,
    owner: string,
    mayBeHeld: boolean,
  ): Promise<'taken' | 'busy' | 'held'> {
    try {
      await create(file, owner)
      return 'taken'
    } catch (error) {
      const code = errorCode(error)
      if (mayBeHeld && heldCodes.has(code)) return 'held'
      if (code !== 'EEXIST') throw error
      await removeIfStale(file)
      return 'busy'
    }
  }

  async function removeIfStale(file: string): Promise<void> {
    const found = await stat(file).catch(() => null)
    // Renewed in the future means left behind while the clock was ahead.
    if (found === null || Math.abs(Date.now() - found.mtimeMs) < staleMs) return
    const owner = await readFile(file, 'utf8').catch(() => '')
    const aside = `${file}.${randomUUID()}`
    await rename(file, aside).catch(() => {})
    // Another process may have removed the stale lock and taken its own in the meantime: give that one back.
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
    return async () => {
      clearInterval(timer)
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
        await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
        let heldUntilMs = Number.POSITIVE_INFINITY
        while (!hasEnded && performance.now() < untilMs) {
          const outcome = await tryOnce(file, owner, performance.now() < heldUntilMs)
          if (outcome === 'taken') return hold(file, owner)
          heldUntilMs =
            outcome === 'held'
              ? Math.min(heldUntilMs, performance.now() + longestHeldMs)
              : Number.POSITIVE_INFINITY
          await sleep(pauseMs)
        }
        if (!hasEnded)
          logger.warn('Another process of this app holds the license record: going on without its lock')
      } catch (error) {
        // A folder that takes no files is reported once; the record has its own problem code for it.
        if (!isReported)
          logger.warn(`The license record cannot be locked (${errorCode(error) || 'unexpected'})`)
        isReported = true
      }
      return null
    },
    end() {
      hasEnded = true
    },
  }
}

async function createFile(file: string, owner: string): Promise<void> {
  await writeFile(file, owner, { flag: 'wx', mode: 0o600 })
}
