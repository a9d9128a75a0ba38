import fs from 'node:fs'
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { LockPort } from '../../../src/core/ports.ts'
import { createFileLock, type FileLock, type FileLockOptions } from '../../../src/main/adapters/file-lock.ts'
import { createRecordingLogger } from '../../doubles/recording-logger.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'latchkey-lock-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const logger = createRecordingLogger()
const processLock = (options: Partial<FileLockOptions> = {}): FileLock =>
  createFileLock({ directory: () => path.join(folder, 'latchkey'), name: 'license', logger, ...options })
const lockFile = (): string => path.join(folder, 'latchkey', 'license.lock')
/** @returns gives the lock back. */
const taken = async (lock: LockPort): Promise<() => Promise<void>> => {
  const acquired = await lock.acquire()
  if (acquired.kind !== 'held') throw new Error(`The lock is ${acquired.kind}`)
  return acquired.release
}
const files = (): Promise<string[]> => readdir(path.join(folder, 'latchkey'))
const refuse = (code: string) => (): Promise<never> =>
  Promise.reject(Object.assign(new Error(code), { code }))

/** Makes the system answer a call as the test wants, until it ends. @returns a function that stops this earlier. */
function replaceCall(name: 'open' | 'stat', call: (...given: never[]) => unknown): () => void {
  const restore = (): void => {
    Object.assign(fs.promises, { [name]: real })
    syncBuiltinESMExports()
  }
  const real = fs.promises[name]
  Object.assign(fs.promises, { [name]: call })
  syncBuiltinESMExports()
  onTestFinished(restore)
  return restore
}

test('twenty processes take turns, and leave no file behind', async () => {
  let inside = 0
  let most = 0
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      const release = await taken(processLock())
      inside += 1
      most = Math.max(most, inside)
      await new Promise((resolve) => setImmediate(resolve))
      inside -= 1
      await release()
    }),
  )
  expect(most).toBe(1)
  expect(await files()).toEqual([])
})

/** Leaves the lock of a process that was killed that long ago, in milliseconds. */
async function leaveLock(ageMs: number): Promise<void> {
  const release = await taken(processLock())
  await release()
  await writeFile(lockFile(), 'a process that was killed')
  const left = new Date(Date.now() - ageMs)
  await utimes(lockFile(), left, left)
}

test.each([
  ['by a killed process', 60_000],
  ['while the clock was ahead', -3_600_000],
])('a lock left %s is removed eventually', async (_when, ageMs) => {
  await leaveLock(ageMs)
  const release = await taken(processLock())
  await release()
  expect(await files()).toEqual([])
})

test('a lock that another process takes while a stale one is being removed stays with it', async () => {
  await leaveLock(60_000)
  let isTaken = false
  // Right after this process has looked at the age of the lock file, another one takes the lock.
  const { stat: realStat } = fs.promises
  replaceCall('stat', async (file: string) => {
    const stats = await realStat(file)
    if (!isTaken) {
      isTaken = true
      await rm(lockFile())
      await writeFile(lockFile(), 'another process')
    }
    return stats
  })
  expect(await processLock({ longestWaitMs: 200 }).acquire()).toEqual({ kind: 'busy' })
  expect(await readFile(lockFile(), 'utf8')).toBe('another process')
  expect(await files()).toEqual(['license.lock'])
})

test('a process that works for long keeps its lock', async () => {
  const staleMs = 10_000
  const release = await taken(processLock({ staleMs }))
  const almostStale = new Date(Date.now() - staleMs + 1000)
  await utimes(lockFile(), almostStale, almostStale)
  await expect.poll(async () => (await stat(lockFile())).mtimeMs).toBeGreaterThan(almostStale.getTime())
  expect(await processLock({ staleMs, longestWaitMs: 200 }).acquire()).toEqual({ kind: 'busy' })
  await release()
})

test('an operation continues without a lock that another process never releases, and logs it', async () => {
  const held = await taken(processLock())
  const recorded = createRecordingLogger()
  expect(await processLock({ longestWaitMs: 100, logger: recorded }).acquire()).toEqual({ kind: 'busy' })
  expect(recorded.lines.join()).toContain('Another process of this app holds the lock of the license record')
  await held()
})

test('a lock that was taken over is not removed by its former owner', async () => {
  const release = await taken(processLock())
  await writeFile(lockFile(), 'another owner')
  await release()
  expect(await files()).toEqual(['license.lock'])
})

test('an app that quits no longer waits', async () => {
  const held = await taken(processLock())
  const waiting = processLock()
  const acquired = waiting.acquire()
  waiting.end()
  expect(await acquired).toEqual({ kind: 'ended' })
  await held()
})

test('a process that exits leaves no lock, and keeps away from the lock of another one', async () => {
  const exiting = processLock()
  await taken(exiting)
  exiting.leave()
  expect(await files()).toEqual([])
  expect(await exiting.acquire()).toEqual({ kind: 'ended' })
  await writeFile(lockFile(), 'of another process')
  exiting.leave()
  expect(await readFile(lockFile(), 'utf8')).toBe('of another process')
})

test('a folder that takes no files costs the lock and not the operation, and is reported once', async () => {
  await writeFile(path.join(folder, 'latchkey'), 'a file where the folder belongs')
  const recorded = createRecordingLogger()
  const lock = processLock({ logger: recorded })
  expect(await lock.acquire()).toEqual({ kind: 'unavailable' })
  expect(await lock.acquire()).toEqual({ kind: 'unavailable' })
  expect(recorded.lines).toHaveLength(1)
})

test('a full disk costs the lock and not the operation, and leaves no file that the next one waits for', async () => {
  const { open } = fs.promises
  const restore = replaceCall('open', async (...file: Parameters<typeof open>) => {
    const created = await open(...file)
    created.writeFile = refuse('ENOSPC')
    return created
  })
  const recorded = createRecordingLogger()
  expect(await processLock({ logger: recorded }).acquire()).toEqual({ kind: 'unavailable' })
  expect(recorded.lines.join()).toContain('cannot be locked (ENOSPC)')
  expect(await files()).toEqual([])
  restore()
  const release = await taken(processLock())
  await release()
})

describe.each(['EPERM', 'EBUSY'])('on a system that answers %s for a lock file', (code) => {
  test('that is just being removed, the lock is waited for', async () => {
    let refusals = 3
    const { open } = fs.promises
    replaceCall('open', (...file: Parameters<typeof open>) => {
      refusals -= 1
      return refusals >= 0 ? refuse(code)() : open(...file)
    })
    const recorded = createRecordingLogger()
    const release = await taken(processLock({ logger: recorded }))
    await release()
    expect(recorded.lines).toEqual([])
    expect(await files()).toEqual([])
  })

  test('in a folder that takes none, the operation goes on without it soon', async () => {
    replaceCall('open', refuse(code))
    const recorded = createRecordingLogger()
    expect(await processLock({ logger: recorded }).acquire()).toEqual({ kind: 'unavailable' })
    expect(recorded.lines.join()).toContain(`cannot be locked (${code})`)
  })
})
