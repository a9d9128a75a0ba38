import { constants, type Stats } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import * as z from 'zod/mini'
import type { ProvidedKey } from '../core/ports.ts'
import { errorCode } from './adapters/file-store.ts'

const mostBytes = 64 * 1024
const policySchema = z.object({ licenseKey: z.string().check(z.trim(), z.minLength(1)) })

/** Reads the policy file. @returns why it can't be used, as the end of a sentence; `null` if there is none. */
export async function readPolicyFile(
  path: string,
  platform: NodeJS.Platform,
): Promise<ProvidedKey | string | null> {
  let handle: FileHandle | null = null
  try {
    // Not blocking, because the file may be a pipe that nobody writes to.
    handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
    const stats = await handle.stat()
    if (!stats.isFile()) return 'it is not a file'
    const isShared =
      platform === 'win32' ? await mayBeWritable(path, stats) : stats.uid !== 0 || (stats.mode & 0o022) !== 0
    if (isShared) return openToOthers[platform === 'win32' ? platform : 'posix']
    if (stats.size > mostBytes) return 'it is larger than 64 KB'
    const buffer = Buffer.alloc(mostBytes)
    const { bytesRead } = await handle.read(buffer, 0, mostBytes, 0)
    const read = parsePolicy(buffer.subarray(0, bytesRead))
    return 'text' in read ? { text: read.text, source: path } : read.fault
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    return code === 'ELOOP' ? 'it is a symbolic link' : `it can't be read (${code || 'unknown'})`
  } finally {
    await handle?.close().catch(() => {})
  }
}

const openToOthers = {
  posix: 'others can change it. It must belong to root, and neither its group nor others may write to it',
  win32:
    'the user who runs the app may be able to change it. Let only administrators write to it, and to its folder',
} as const

/**
 * Node reads no access control lists, so Windows is asked whether it would let this user write. Only a refusal proves that it
 * wouldn't. It also refuses to write to a read-only file, and its owner may turn that off.
 */
async function mayBeWritable(path: string, { mode }: Stats): Promise<boolean> {
  if ((mode & 0o222) === 0) return true
  try {
    const handle = await open(path, 'r+')
    await handle.close()
    return true
  } catch (error) {
    const code = errorCode(error)
    return code !== 'EPERM' && code !== 'EACCES'
  }
}

/** PowerShell writes UTF-16, and many editors put a byte order mark before UTF-8. */
function parsePolicy(bytes: Buffer): { readonly text: string } | { readonly fault: string } {
  const isWide = bytes[0] === 0xff && bytes[1] === 0xfe
  const json = new TextDecoder(isWide ? 'utf-16le' : 'utf-8').decode(bytes)
  let content: unknown
  try {
    content = JSON.parse(json)
  } catch {
    const hasComment = /(?:^|[\s{,])(?:\/\/|\/\*|#)/u.test(json)
    return { fault: hasComment ? 'JSON has no comments' : 'it is not JSON' }
  }
  const policy = policySchema.safeParse(content)
  if (!policy.success) return { fault: 'it must be { "licenseKey": "…" }, with one license key' }
  // JSON.parse keeps the last one, and an administrator may have meant the other.
  if (json.match(/"licenseKey"\s*:/gu)?.length !== 1) return { fault: 'it has more than one license key' }
  return { text: policy.data.licenseKey }
}
