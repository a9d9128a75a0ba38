import { createHmac } from 'node:crypto'
import * as z from 'zod/mini'
import type { SealedText, SealTier, SecretsPort } from '../../core/ports.ts'
import { TimeLimitError, withinTime } from './time.ts'

/**
 * The used part of Electron's `safeStorage`. The asynchronous functions arrived in Electron 42, the synchronous ones
 * are removed in 46, and `getSelectedStorageBackend` only exists on Linux, so each may be missing.
 */
export interface SafeStorage {
  isAsyncEncryptionAvailable?(): Promise<boolean>
  encryptStringAsync?(text: string): Promise<Buffer>
  decryptStringAsync?(encrypted: Buffer): Promise<unknown>
  isEncryptionAvailable?(): boolean
  encryptString?(text: string): Buffer
  decryptString?(encrypted: Buffer): string
  getSelectedStorageBackend?(): string
}

/** Options for sealing. */
export interface SafeStorageOptions {
  /**
   * Returns Electron's `safeStorage`; `null` leaves the keychain alone. It is called when something is sealed or opened
   * and not earlier: in Electron 42, reading `electron.safeStorage` may already ask macOS users for the keychain.
   */
  readonly safeStorage: (() => SafeStorage) | null
  readonly platform: NodeJS.Platform
  readonly appId: string
  /** Version of Electron, such as `42.4.1`. */
  readonly electronVersion: string
  /** How long to wait for a keychain, which may be asking the user, in milliseconds. @default 2_000 */
  readonly timeoutMs?: number
}

/** Seals with the system's keychain, with a line for the support report. */
export interface SafeStorageSecrets extends SecretsPort {
  /** Describes the keychain as far as it has been used. Never rejects. */
  describe(): Promise<string>
}

const decryptedSchema = z.union([z.string(), z.object({ result: z.string() })])

/** The longest pause before the keychain is asked again whether it can be used, in milliseconds. */
const longestPauseMs = 60 * 60 * 1000

/**
 * Seals texts with the operating system's keychain, if there is one. A keychain that doesn't answer in time gets no other
 * request until it does, and what it refused to open isn't asked for again before the next start: it may prompt its user.
 */
export function createSafeStorageSecrets(options: SafeStorageOptions): SafeStorageSecrets {
  const { platform, appId, timeoutMs = 2_000 } = options
  const usesAsync = hasReliableAsync(options.electronVersion)
  const listeners = new Set<() => void>()
  /** What each sealed text opens to. Some answers come after the launch has continued. */
  const opened = new Map<string, Promise<string | null>>()
  let used: SafeStorage | null = null
  let available: Promise<boolean> | null = null
  let unanswered = 0
  let hasRejected = false

  function keychain(): SafeStorage {
    used ??= options.safeStorage?.() ?? {}
    return used
  }

  /**
   * Whether the asynchronous functions can be used. It is asked once. Soon after the app is ready, `false` only means "not
   * yet", so the question is repeated, and at growing pauses even after the launch has gone on without the keychain.
   */
  function isAvailable(): Promise<boolean> {
    available ??= new Promise((resolve) => {
      async function ask(pauseMs: number): Promise<void> {
        const safeStorage = keychain()
        const answer = await answerOf(safeStorage)
        const isGivenUp = pauseMs > timeoutMs / 2
        if (answer === true) {
          resolve(true)
          if (!isGivenUp) return
          available = Promise.resolve(true)
          opened.clear()
          tellListeners()
          return
        }
        // Linux without a keyring stays without one until the next start.
        const isNever = answer === undefined || safeStorage.getSelectedStorageBackend?.() === 'basic_text'
        if (isNever || isGivenUp) resolve(false)
        if (isNever) return
        const nextMs = Math.min(pauseMs * 2, longestPauseMs)
        setTimeout(() => void ask(nextMs), pauseMs).unref()
      }
      void ask(timeoutMs / 20)
    })
    return available
  }

  /**
   * Waits as long as a launch may. The operation continues afterwards.
   *
   * @throws {TimeLimitError} if there is no answer yet.
   */
  async function soon<Value>(answer: Promise<Value>): Promise<Value> {
    try {
      return await withinTime(answer, timeoutMs)
    } catch (error) {
      if (error instanceof TimeLimitError) {
        unanswered += 1
        void answer.catch(() => {}).then(answerCame)
      }
      throw error
    }
  }

  function answerCame(): void {
    unanswered -= 1
    if (unanswered === 0) tellListeners()
  }

  function tellListeners(): void {
    for (const listener of [...listeners]) listener()
  }

  /** Notes whether the keychain rejected the last text, even if that answer comes late. */
  async function noted<Value>(answer: Promise<Value>): Promise<Value> {
    try {
      const value = await answer
      hasRejected = false
      return value
    } catch (error) {
      hasRejected = true
      throw error
    }
  }

  async function encrypt(text: string): Promise<Buffer | null> {
    const safeStorage = keychain()
    if (usesAsync && safeStorage.encryptStringAsync !== undefined) {
      return (await isAvailable()) ? await noted(safeStorage.encryptStringAsync(text)) : null
    }
    if (safeStorage.isEncryptionAvailable?.() !== true) return null
    return safeStorage.encryptString?.(text) ?? null
  }

  /** Returns the text; `null` if the keychain can't or may not open it. Never rejects. */
  async function decrypt(encrypted: Buffer): Promise<string | null> {
    const safeStorage = keychain()
    if (usesAsync && safeStorage.decryptStringAsync !== undefined) {
      if (!(await isAvailable())) return null
      const beganAtMs = performance.now()
      try {
        const text = textOf(await noted(safeStorage.decryptStringAsync(encrypted)))
        if (text !== null) return text
      } catch {
        // The user may have refused, and the synchronous call would ask again and block the app. On macOS, both APIs use the
        // same key.
        if (platform === 'darwin' || performance.now() - beganAtMs > timeoutMs) return null
      }
    }
    try {
      // The record may have been sealed with this API, before the app changed its Electron version.
      return textOf(safeStorage.decryptString?.(encrypted))
    } catch {
      // It was sealed by another user, another machine, or a keychain that no longer exists.
      return null
    }
  }

  return {
    async seal(text) {
      if (options.safeStorage === null) return plain(text)
      try {
        const encrypted = unanswered > 0 ? null : await soon(encrypt(text))
        if (encrypted !== null) {
          return { tier: tierOf(encrypted), sealed: encrypted.toString('base64') }
        }
      } catch {
        // A keychain that fails counts as none.
      }
      return plain(text)
    },

    sealNow(text) {
      if (options.safeStorage === null) return plain(text)
      const { isEncryptionAvailable, encryptString } = keychain()
      // A keychain that may be asking its user would block the exit.
      if (unanswered > 0) return null
      // As in `seal`, one that was declined counts as none. Otherwise, what isn't saved yet would be lost.
      if (platform === 'darwin' && hasRejected) return plain(text)
      if (isEncryptionAvailable === undefined || encryptString === undefined) return null
      try {
        if (!isEncryptionAvailable.call(used)) return plain(text)
        const encrypted = encryptString.call(used, text)
        return { tier: tierOf(encrypted), sealed: encrypted.toString('base64') }
      } catch {
        return null
      }
    },

    async open(tier, sealed) {
      if (tier === 'plain') return sealed
      if (options.safeStorage === null) return null
      const encrypted = Buffer.from(sealed, 'base64')
      // Anyone can create a text that opens with the built-in key, so it must not count as sealed by the keychain.
      if (encrypted.length === 0 || (tier === 'keychain' && hasBuiltInKey(encrypted))) return null
      if (unanswered > 0) return null
      const text = opened.get(sealed) ?? decrypt(encrypted)
      opened.set(sealed, text)
      return soon(text).catch(() => null)
    },

    onAnswer(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },

    isAnswerAwaited: () => unanswered > 0,

    async describe() {
      if (options.safeStorage === null) return 'turned off'
      if (used === null) return 'not used yet'
      try {
        const isUsable = usesAsync
          ? await withinTime(isAvailable(), timeoutMs)
          : used.isEncryptionAvailable?.()
        const backend = platform === 'linux' ? used.getSelectedStorageBackend?.() : undefined
        return `${isUsable === true ? 'available' : 'not available'}${backend === undefined ? '' : `, ${backend}`}`
      } catch {
        return 'not known'
      }
    },

    authenticate(fingerprint, text) {
      const key = JSON.stringify(['latchkey record', appId, fingerprint])
      return createHmac('sha256', key).update(text).digest('hex')
    },
  }

  function tierOf(encrypted: Buffer): SealTier {
    const isBasic = keychain().getSelectedStorageBackend?.() === 'basic_text' || hasBuiltInKey(encrypted)
    return isBasic && platform === 'linux' ? 'basic' : 'keychain'
  }

  /**
   * On Linux, Chromium prefixes text encrypted with its built-in key with `v10`, and with the keyring's key with
   * `v11`.
   */
  function hasBuiltInKey(encrypted: Buffer): boolean {
    return platform === 'linux' && encrypted.subarray(0, 3).toString('latin1') === 'v10'
  }
}

/** Whether the keychain says that it can be used; `undefined` if it can't be asked. */
async function answerOf(safeStorage: SafeStorage): Promise<boolean | undefined> {
  try {
    return await safeStorage.isAsyncEncryptionAvailable?.()
  } catch {
    return false
  }
}

function plain(text: string): SealedText {
  return { tier: 'plain', sealed: text }
}

/**
 * Whether the asynchronous functions work. From 42.0.0 to 42.4.0 they end the process or answer `false` if they are called
 * soon after the app is ready. https://github.com/electron/electron/issues/51759
 */
function hasReliableAsync(electronVersion: string): boolean {
  const [major = 0, minor = 0, patch = 0] = electronVersion
    .split('.')
    .map((part) => Number.parseInt(part, 10))
  return major > 42 || (major === 42 && (minor > 4 || (minor === 4 && patch >= 1)))
}

function textOf(decrypted: unknown): string | null {
  const parsed = z.safeParse(decryptedSchema, decrypted)
  if (!parsed.success) return null
  return typeof parsed.data === 'string' ? parsed.data : parsed.data.result
}
