import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { posix, win32 } from 'node:path'
import * as z from 'zod/mini'
import type { Logger, ProvidedKey } from '../core/ports.ts'
import { maskLicenseKey } from '../shared/license-key-text.ts'
import type { ProvisioningOptions } from './options/licensing-options.ts'

/** Where this process and this computer may have a license key. */
export interface ProvisioningPorts {
  readonly platform: NodeJS.Platform
  /** The app's name. */
  readonly appName: string
  /** The arguments of this process. A license key is removed from them. */
  readonly argv: string[]
  /** The environment of this process. A license key is removed from it. */
  readonly env: Record<string, string | undefined>
  /** Removes a switch from Chromium's command line. */
  readonly removeSwitch: (name: string) => void
  /** Returns a text from the preferences of macOS; empty if there is none. */
  readonly readPreference: (name: string) => string
  readonly logger: Logger
}

/** The license key that an administrator provided. */
export interface Provisioning {
  /** Looks for it again. Never rejects. */
  find(): Promise<ProvidedKey | null>
  /** Returns a line for the support report. Never rejects. */
  describe(): Promise<string>
}

/** The name of the preference on macOS. */
const preferenceName = 'LicenseKey'
const mostBytes = 64 * 1024

/**
 * Takes the license key out of the arguments and the environment, so that no child process that starts from now on inherits
 * it, and finds it there, in the policy file or in managed preferences.
 */
export function createProvisioning(options: ProvisioningOptions, ports: ProvisioningPorts): Provisioning {
  const { platform, readPreference, logger } = ports
  const { argument = 'license-key', variable = variableOf(ports.appName) } = options
  const file = options.file ?? policyFileOf(ports)
  // Both are fixed for the life of the process.
  const given = [
    argument === false ? null : takeArgument(argument, ports),
    variable === false ? null : takeVariable(variable, ports),
  ].find((key) => key !== null)
  const logged = new Set<string>()

  /** The file may become usable, or another fault may show, so each is logged once. */
  function logOnce(line: string): void {
    if (logged.has(line)) return
    logged.add(line)
    logger.warn(line)
  }

  /** @returns a sentence if the file can't be used. */
  async function look(): Promise<ProvidedKey | string | null> {
    if (given !== undefined) return given
    const read = file === false ? null : await readPolicyFile(file, platform)
    if (read !== null) return typeof read === 'string' ? `${file} is ignored: ${read}` : read
    const text = platform === 'darwin' ? readPreference(preferenceName) : ''
    return text === '' ? null : { text, source: `preference ${preferenceName}` }
  }

  return {
    async find() {
      try {
        const found = await look()
        if (typeof found !== 'string') return found
        logOnce(found)
      } catch (error) {
        logOnce(`Provisioning failed: ${error instanceof Error ? error.name : typeof error}`)
      }
      return null
    },
    async describe() {
      const found = await look().catch(() => 'failed')
      if (found === null) return 'no key found'
      return typeof found === 'string' ? found : `${maskLicenseKey(found.text)} from ${found.source}`
    },
  }
}

/** Removes the argument. The last one counts, as on every command line. */
function takeArgument(name: string, { argv, logger, removeSwitch }: ProvisioningPorts): ProvidedKey | null {
  const source = `--${name}`
  const isIt = (word: string): boolean => word === source || word.startsWith(`${source}=`)
  const last = argv.findLast(isIt)
  if (last === undefined) return null
  argv.splice(0, argv.length, ...argv.filter((word) => !isIt(word)))
  removeSwitch(name)
  const text = last.slice(source.length + 1).trim()
  if (text !== '') return { text, source }
  logger.warn(`${source} has no license key. Write ${source}=<license key>.`)
  return null
}

function takeVariable(name: string, { env }: ProvisioningPorts): ProvidedKey | null {
  const text = env[name]?.trim() ?? ''
  delete env[name]
  return text === '' ? null : { text, source: name }
}

/** The variable of an app: `NOTES_LICENSE_KEY`. `false` if its name has no character that a variable may have. */
function variableOf(appName: string): string | false {
  const name = appName
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/gu, '_')
    .replaceAll(/^_|_$/gu, '')
  return name === '' ? false : `${name}_LICENSE_KEY`
}

/** The policy file of an app, in a folder that users can't write to on macOS and Linux. */
function policyFileOf({ platform, appName, env }: ProvisioningPorts): string | false {
  const folder = appName.replaceAll(/[\\/:*?"<>|]+/gu, '-').replaceAll(/^[-.\s]+|[-.\s]+$/gu, '')
  if (folder === '') return false
  switch (platform) {
    case 'win32':
      return win32.join(env['ProgramData'] ?? 'C:\\ProgramData', folder, 'license.json')
    case 'darwin':
      return posix.join('/Library/Application Support', folder, 'license.json')
    default:
      return posix.join('/etc', folder.toLowerCase().replaceAll(/\s+/gu, '-'), 'license.json')
  }
}

const policySchema = z.object({ licenseKey: z.string().check(z.trim(), z.minLength(1)) })

/** Reads the policy file. @returns why it can't be used, as the end of a sentence; `null` if there is none. */
async function readPolicyFile(path: string, platform: NodeJS.Platform): Promise<ProvidedKey | string | null> {
  let handle: FileHandle | null = null
  try {
    // Not blocking, because the file may be a pipe that nobody writes to.
    handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
    const stats = await handle.stat()
    if (!stats.isFile()) return 'it is not a file'
    const isShared =
      platform === 'win32' ? await isWritable(path) : stats.uid !== 0 || (stats.mode & 0o022) !== 0
    if (isShared) return openToOthers(platform)
    if (stats.size > mostBytes) return 'it is larger than 64 KB'
    const buffer = Buffer.alloc(mostBytes)
    const { bytesRead } = await handle.read(buffer, 0, mostBytes, 0)
    const read = parsePolicy(buffer.subarray(0, bytesRead))
    return 'text' in read ? { text: read.text, source: path } : read.fault
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    return code === 'ELOOP' ? 'it is a symbolic link' : `it can't be read (${code})`
  } finally {
    await handle?.close().catch(() => {})
  }
}

function openToOthers(platform: NodeJS.Platform): string {
  return platform === 'win32'
    ? 'the user who runs the app can change it. Let only administrators write to it, and to its folder'
    : 'others can change it. It must belong to root, and neither its group nor others may write to it'
}

/** Node reads no access control lists, so Windows is asked whether it would let this user write. */
async function isWritable(path: string): Promise<boolean> {
  const handle = await open(path, 'r+').catch(() => null)
  await handle?.close()
  return handle !== null
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
