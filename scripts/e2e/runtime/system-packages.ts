import { execFile } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Something a Linux system needs, and the Debian or Ubuntu package that provides it. */
interface SystemNeed {
  /** A shared library by its file name, a command on the PATH, or a font by a language it covers. */
  readonly kind: 'library' | 'command' | 'font'
  readonly name: string
  /** Package names, the newest distribution's first. The first one that apt knows is used. */
  readonly packages: readonly string[]
}

function library(name: string, ...packages: string[]): SystemNeed {
  return { kind: 'library', name, packages }
}

function command(name: string, ...packages: string[]): SystemNeed {
  return { kind: 'command', name, packages }
}

function font(language: string, ...packages: string[]): SystemNeed {
  return { kind: 'font', name: language, packages }
}

/** What Electron links against, beyond a minimal system. */
export const electronNeeds: readonly SystemNeed[] = [
  library('libgtk-3.so.0', 'libgtk-3-0t64', 'libgtk-3-0'),
  library('libnss3.so', 'libnss3'),
  library('libasound.so.2', 'libasound2t64', 'libasound2'),
  library('libgbm.so.1', 'libgbm1'),
  library('libXss.so.1', 'libxss1'),
  library('libatk-bridge-2.0.so.0', 'libatk-bridge2.0-0t64', 'libatk-bridge2.0-0'),
  library('libdrm.so.2', 'libdrm2'),
  library('libxkbcommon.so.0', 'libxkbcommon0'),
]

/** A virtual screen for a machine without one. */
export const virtualDisplayNeeds: readonly SystemNeed[] = [command('Xvfb', 'xvfb')]

/** A real keychain for `safeStorage`, for tests that run in their own session. */
export const keychainNeeds: readonly SystemNeed[] = [
  command('dbus-daemon', 'dbus-daemon', 'dbus'),
  command('dbus-send', 'dbus-bin', 'dbus'),
  command('gnome-keyring-daemon', 'gnome-keyring'),
  library('libsecret-1.so.0', 'libsecret-1-0'),
]

/** Fonts for the activation window's languages that a minimal system lacks. Names are language codes. */
export const fontNeeds: readonly SystemNeed[] = [
  command('fc-list', 'fontconfig'),
  font('ar', 'fonts-noto-core'),
  font('ja', 'fonts-noto-cjk'),
  font('ko', 'fonts-noto-cjk'),
  font('zh', 'fonts-noto-cjk'),
]

/** The store that several gateways share for counting. */
export const redisNeeds: readonly SystemNeed[] = [command('redis-server', 'redis-server')]

/**
 * Makes sure that a Linux system has what is needed. Does nothing on other systems.
 *
 * As root on Debian or Ubuntu, missing packages are installed. If nothing is missing, apt isn't called.
 *
 * @throws Error with the exact command to run if something is missing and can't be installed from here.
 */
export async function ensureSystemPackages(
  needs: readonly SystemNeed[],
  report: (line: string) => void = console.log,
): Promise<void> {
  if (process.platform !== 'linux') return
  const missing = await missingNeeds(needs)
  if (missing.length === 0) return

  const names = missing.map((need) => need.name).join(', ')
  if (!hasCommand('apt-get')) {
    throw new Error(`This system lacks ${names}. Install them with its package manager and try again.`)
  }
  if (process.getuid?.() !== 0) {
    const packages = await packageNames(missing)
    throw new Error(
      `This system lacks ${names}. Run this and try again:\n  sudo apt-get update && sudo apt-get install -y --no-install-recommends ${packages.join(' ')}`,
    )
  }

  await apt(['update', '-qq'])
  const packages = await packageNames(missing)
  report(`Installing system packages with apt-get: ${packages.join(' ')} …`)
  await apt(['install', '-y', '-qq', '--no-install-recommends', ...packages])
  const stillMissing = await missingNeeds(missing)
  if (stillMissing.length > 0) {
    throw new Error(
      `apt-get succeeded, but ${stillMissing.map((need) => need.name).join(', ')} is still missing.`,
    )
  }
}

async function missingNeeds(needs: readonly SystemNeed[]): Promise<SystemNeed[]> {
  const libraries = await installedLibraries()
  const isThere = await Promise.all(
    needs.map(async ({ kind, name }) => {
      switch (kind) {
        case 'command':
          return hasCommand(name)
        case 'library':
          return libraries === undefined || libraries.has(name)
        case 'font':
          return hasFont(name)
      }
    }),
  )
  return needs.filter((_, index) => isThere[index] === false)
}

/** Whether a font covers a language, by its code. */
async function hasFont(language: string): Promise<boolean> {
  return run('fc-list', [`:lang=${language}`, 'family']).then(
    ({ stdout }) => stdout.trim() !== '',
    () => false,
  )
}

/** `undefined` on a system without `ldconfig`, where this is unknown and Electron itself reports an error. */
async function installedLibraries(): Promise<ReadonlySet<string> | undefined> {
  // Not on an ordinary user's PATH in Debian.
  const ldconfig = ['/sbin/ldconfig', '/usr/sbin/ldconfig'].find((file) => existsSync(file))
  if (ldconfig === undefined) return undefined
  const { stdout } = await run(ldconfig, ['-p'], { maxBuffer: 16 * 1024 * 1024 })
  return parseLibraryCache(stdout)
}

/** Parses the library names in the output of `ldconfig -p`. */
function parseLibraryCache(text: string): ReadonlySet<string> {
  const names = text.matchAll(/^\s+(\S+) \(/gm)
  return new Set([...names].map((match) => match[1] ?? ''))
}

/** Whether a command is on the PATH. */
export function hasCommand(name: string): boolean {
  return findCommand(name) !== undefined
}

/** Returns the file of a command on the PATH; `undefined` if there is none. */
export function findCommand(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter).filter(Boolean)
  return folders
    .map((folder) => path.join(folder, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK)
        return true
      } catch {
        return false
      }
    })
}

async function packageNames(needs: readonly SystemNeed[]): Promise<string[]> {
  const chosen = needs.map(async ({ packages }) => {
    for (const name of packages) if (await aptHas(name)) return name
    return packages.at(-1) ?? ''
  })
  return [...new Set(await Promise.all(chosen))].sort()
}

async function aptHas(name: string): Promise<boolean> {
  return run('apt-cache', ['show', '--no-all-versions', name]).then(
    ({ stdout }) => stdout.includes('Package:'),
    () => false,
  )
}

async function apt(args: readonly string[]): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  // On a machine that has just started, another apt may be running.
  const lockOptions = ['-o', 'DPkg::Lock::Timeout=180', '-o', 'Acquire::Retries=2']
  await run('apt-get', [...lockOptions, ...args], { env, maxBuffer: 64 * 1024 * 1024 }).catch(
    (error: unknown) => {
      const output = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error)
      throw new Error(`apt-get ${args[0]} failed:\n${output.split('\n').slice(-8).join('\n')}`, {
        cause: error,
      })
    },
  )
}
