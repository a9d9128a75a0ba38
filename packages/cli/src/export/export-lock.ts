import { readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import * as z from 'zod/mini'
import { UsageError } from '../usage-error.ts'
import { fileWriteError } from '../write-error.ts'

/** The process that writes a file. */
interface Owner {
  readonly pid: number
  readonly host: string
}

const schema: z.ZodMiniType<Owner> = z.object({ pid: z.int(), host: z.string() })

/**
 * Keeps other processes from writing the same file until it is released. Two exports to one file would overwrite each
 * other's rows.
 *
 * @throws {UsageError} if another process writes the file.
 */
export async function lockExport(output: string): Promise<{ release(): Promise<void> }> {
  const path = `${output}.lock`
  const own: Owner = { pid: process.pid, host: os.hostname() }
  if (!(await create(path, own, output))) {
    const owner = await readOwner(path)
    if (owner === null || !hasEnded(owner, own)) throw new UsageError(lockedText(output, path, owner))
    await rm(path, { force: true }).catch((error: unknown) => {
      throw fileWriteError(path, error)
    })
    // Another process may have been faster.
    if (!(await create(path, own, output))) {
      throw new UsageError(lockedText(output, path, await readOwner(path)))
    }
  }
  return { release: () => rm(path, { force: true }) }
}

/** @returns whether the file is new. @throws {UsageError} if it can't be written. */
async function create(path: string, own: Owner, output: string): Promise<boolean> {
  try {
    await writeFile(path, JSON.stringify(own), { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    // A full disk leaves an empty file.
    await rm(path, { force: true })
    throw fileWriteError(output, error)
  }
}

/** @returns `null` if it can't be read, as while it is being written. */
async function readOwner(path: string): Promise<Owner | null> {
  try {
    return schema.parse(JSON.parse(await readFile(path, 'utf8')))
  } catch {
    return null
  }
}

/** Whether the owner's process no longer runs. Nothing is known about a process of another computer. */
function hasEnded({ pid, host }: Owner, own: Owner): boolean {
  if (host !== own.host) return false
  // This process holds no lock yet, so the id is that of an earlier process.
  if (pid === own.pid) return true
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    // Another user's process can't be signalled, but it runs.
    return error instanceof Error && 'code' in error && error.code === 'ESRCH'
  }
}

function lockedText(output: string, path: string, owner: Owner | null): string {
  const who = owner === null ? '' : ` (process ${owner.pid} on ${owner.host})`
  return `Another export to ${output} is running${who}. Wait until it has ended. If none is running, delete ${path}.`
}
