import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'

/** What decides whether Chromium's sandbox can start on a Linux machine. */
export interface SandboxFacts {
  readonly isRoot: boolean
  /** `false` if the kernel or a security module denies user namespaces to ordinary users. */
  readonly userNamespacesAllowed: boolean
  /** Whether `chrome-sandbox` beside the executable belongs to root and is setuid. */
  readonly helperIsSetuid: boolean
}

/** Returns why the sandbox must be off, or `undefined` if it can be on. */
export function sandboxObstacle(facts: SandboxFacts): string | undefined {
  if (facts.isRoot) return 'running as root'
  if (facts.userNamespacesAllowed || facts.helperIsSetuid) return undefined
  return 'this system allows no user namespaces and chrome-sandbox is not setuid root'
}

/** Reads {@link SandboxFacts} for an Electron executable. */
export function readSandboxFacts(executablePath: string): SandboxFacts {
  return {
    isRoot: process.getuid?.() === 0,
    userNamespacesAllowed:
      kernelSetting('kernel/unprivileged_userns_clone') !== '0' &&
      kernelSetting('user/max_user_namespaces') !== '0' &&
      kernelSetting('kernel/apparmor_restrict_unprivileged_userns') !== '1',
    helperIsSetuid: isSetuidRoot(path.join(path.dirname(executablePath), 'chrome-sandbox')),
  }
}

function kernelSetting(name: string): string | undefined {
  try {
    return readFileSync(path.join('/proc/sys', name), 'utf8').trim()
  } catch {
    // A kernel without the setting doesn't have the restriction.
    return undefined
  }
}

function isSetuidRoot(file: string): boolean {
  try {
    const stats = statSync(file)
    return stats.uid === 0 && (stats.mode & 0o4000) !== 0
  } catch {
    return false
  }
}
