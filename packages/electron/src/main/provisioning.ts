import { posix, win32 } from 'node:path'
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
  /** Reads the policy file. @returns why it can't be used, as the end of a sentence; `null` if there is none. */
  readonly readPolicyFile: (path: string, platform: NodeJS.Platform) => Promise<ProvidedKey | string | null>
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

/**
 * Takes the license key out of the arguments and the environment, so that no child process that starts from now on inherits
 * it, and finds it there, in the policy file or in managed preferences.
 */
export function createProvisioning(options: ProvisioningOptions, ports: ProvisioningPorts): Provisioning {
  const { platform, readPreference, readPolicyFile, logger } = ports
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

/** Removes the argument and its value, which may be the next word. The last one counts, as on every command line. */
function takeArgument(name: string, { argv, logger, removeSwitch }: ProvisioningPorts): ProvidedKey | null {
  const source = `--${name}`
  let last: string | null = null
  for (let index = 0; index < argv.length; ) {
    const [word = '', next = ''] = argv.slice(index)
    const isAlone = word === source
    if (isAlone || word.startsWith(`${source}=`)) {
      const hasNext = isAlone && !next.startsWith('-')
      last = hasNext ? next : word.slice(source.length + 1)
      argv.splice(index, hasNext ? 2 : 1)
    } else index += 1
  }
  if (last === null) return null
  removeSwitch(name)
  const text = last.trim()
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
