import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import path from 'node:path'
import { repositoryRoot } from '../../workspace/repository.ts'
import { runTool } from '../../workspace/run-tool.ts'

/**
 * Something a Linux system needs: a shared library by its file name, a command on the PATH, or a font by the code of a
 * language it covers. Then the Debian or Ubuntu packages that provide it, the newest distribution's first: the first one that
 * apt knows is used.
 */
type SystemNeed = readonly [kind: 'library' | 'command' | 'font', name: string, ...packages: string[]]

/** What Electron links against, beyond a minimal system. */
export const electronNeeds: readonly SystemNeed[] = [
  ['library', 'libgtk-3.so.0', 'libgtk-3-0t64', 'libgtk-3-0'],
  ['library', 'libnss3.so', 'libnss3'],
  ['library', 'libasound.so.2', 'libasound2t64', 'libasound2'],
  ['library', 'libgbm.so.1', 'libgbm1'],
  ['library', 'libXss.so.1', 'libxss1'],
  ['library', 'libatk-bridge-2.0.so.0', 'libatk-bridge2.0-0t64', 'libatk-bridge2.0-0'],
  ['library', 'libdrm.so.2', 'libdrm2'],
  ['library', 'libxkbcommon.so.0', 'libxkbcommon0'],
]

/** A virtual screen for a machine without one. */
export const virtualDisplayNeeds: readonly SystemNeed[] = [['command', 'Xvfb', 'xvfb']]

/** A real keychain for `safeStorage`, for tests that run in their own session. */
export const keychainNeeds: readonly SystemNeed[] = [
  ['command', 'dbus-daemon', 'dbus-daemon', 'dbus'],
  ['command', 'dbus-send', 'dbus-bin', 'dbus'],
  ['command', 'gnome-keyring-daemon', 'gnome-keyring'],
  ['library', 'libsecret-1.so.0', 'libsecret-1-0'],
]

/** Fonts for the activation window's languages that a minimal system lacks. */
export const fontNeeds: readonly SystemNeed[] = [
  ['command', 'fc-list', 'fontconfig'],
  ['font', 'ar', 'fonts-noto-core'],
  ['font', 'ja', 'fonts-noto-cjk'],
  ['font', 'ko', 'fonts-noto-cjk'],
  ['font', 'zh', 'fonts-noto-cjk'],
]

/** The store that several gateways share for counting. */
export const redisNeeds: readonly SystemNeed[] = [['command', 'redis-server', 'redis-server']]

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
  const missing = needs.filter((need) => !isThere(need))
  if (missing.length === 0) return
  const names = missing.map(([, name]) => name).join(', ')
  if (!hasCommand('apt-get')) {
    throw new Error(`This system lacks ${names}. Install them with its package manager and try again.`)
  }
  const isRoot = process.getuid?.() === 0
  if (isRoot) await apt('update', '-qq')
  const packages = [...new Set(missing.map(packageOf))].sort()
  if (!isRoot) {
    throw new Error(
      `This system lacks ${names}. Run this and try again:\n  sudo apt-get update && sudo apt-get install -y --no-install-recommends ${packages.join(' ')}`,
    )
  }
  report(`Installing system packages with apt-get: ${packages.join(' ')} …`)
  await apt('install', '-y', '-qq', '--no-install-recommends', ...packages)
}

function isThere([kind, name]: SystemNeed): boolean {
  if (kind === 'command') return hasCommand(name)
  if (kind === 'font') return outputOf('fc-list', `:lang=${name}`, 'family').trim() !== ''
  // Not on an ordinary user's PATH in Debian. On a system without it, Electron itself reports an error.
  const libraries = outputOf('/sbin/ldconfig', '-p')
  return libraries === '' || libraries.includes(`\t${name} (`)
}

/** Returns what a command prints; nothing if there is no such command. */
function outputOf(command: string, ...args: readonly string[]): string {
  return spawnSync(command, args, { encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 }).stdout ?? ''
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

function packageOf([, , ...packages]: SystemNeed): string {
  const isKnown = (name: string): boolean =>
    outputOf('apt-cache', 'show', '--no-all-versions', name).includes('Package:')
  return packages.find(isKnown) ?? packages.at(-1) ?? ''
}

async function apt(...args: readonly string[]): Promise<void> {
  // On a machine that has just started, another apt may be running.
  const lockOptions = ['-o', 'DPkg::Lock::Timeout=180', '-o', 'Acquire::Retries=2']
  await runTool(['apt-get', ...lockOptions, ...args], repositoryRoot, { DEBIAN_FRONTEND: 'noninteractive' })
}
