import { createHmac } from 'node:crypto'
import * as z from 'zod/mini'
import type { SealTier, SecretsPort } from '../../core/ports.ts'
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
  readonly safeStorage: SafeStorage
  readonly platform: NodeJS.Platform
  readonly appId: string
  /** How long to wait for a keychain, which may be asking the user, in milliseconds. @default 2_000 */
  readonly timeoutMs?: number
}

const decryptedSchema = z.union([z.string(), z.object({ result: z.string() })])

/**
 * Seals texts with the operating system's keychain, if there is one. A keychain that doesn't answer in time gets no other
 * request until it does, and what it refused to open isn't asked for again before the next start: it may prompt its user.
 */
export function createSafeStorageSecrets(options: SafeStorageOptions): SecretsPort {
  const { safeStorage, platform, appId, timeoutMs = 2_000 } = options
  const listeners = new Set<() => void>()
  /** What each sealed text opens to. Some answers come after the launch has continued. */
  const opened = new Map<string, Promise<string | null>>()
  let unanswered = 0
  let hasRejected = false

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
    if (unanswered === 0) for (const listener of [...listeners]) listener()
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
    const { encryptStringAsync, isAsyncEncryptionAvailable } = safeStorage
    if (encryptStringAsync !== undefined && isAsyncEncryptionAvailable !== undefined) {
      const isAvailable = await isAsyncEncryptionAvailable.call(safeStorage)
      return isAvailable ? await noted(encryptStringAsync.call(safeStorage, text)) : null
    }
    if (safeStorage.isEncryptionAvailable?.() !== true) return null
    return safeStorage.encryptString?.(text) ?? null
  }

  /** Returns the text; `null` if the keychain can't or may not open it. Never rejects. */
  async function decrypt(encrypted: Buffer): Promise<string | null> {
    const { decryptStringAsync } = safeStorage
    const beganAtMs = performance.now()
    try {
      if (decryptStringAsync !== undefined) {
        const text = textOf(await noted(decryptStringAsync.call(safeStorage, encrypted)))
        if (text !== null) return text
      }
    } catch {
      // The user may have refused, and the synchronous call would ask again and block the app. On macOS, Electron reports
      // encryption as available even then, and both APIs use the same key.
      const isUnlocked =
        platform !== 'darwin' &&
        (await safeStorage.isAsyncEncryptionAvailable?.().catch(() => false)) === true
      if (!isUnlocked || performance.now() - beganAtMs > timeoutMs) return null
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
      try {
        const encrypted = unanswered > 0 ? null : await soon(encrypt(text))
        if (encrypted !== null) {
          return { tier: tierOf(encrypted), sealed: encrypted.toString('base64') }
        }
      } catch {
        // A keychain that fails counts as none.
      }
      return { tier: 'plain', sealed: text }
    },

    sealNow(text) {
      const { isEncryptionAvailable, encryptString } = safeStorage
      // A keychain that may be asking its user would block the exit.
      if (unanswered > 0) return null
      // As in `seal`, one that was declined counts as none. Otherwise, what isn't saved yet would be lost.
      if (platform === 'darwin' && hasRejected) return { tier: 'plain', sealed: text }
      if (isEncryptionAvailable === undefined || encryptString === undefined) return null
      try {
        if (!isEncryptionAvailable.call(safeStorage)) return { tier: 'plain', sealed: text }
        const encrypted = encryptString.call(safeStorage, text)
        return { tier: tierOf(encrypted), sealed: encrypted.toString('base64') }
      } catch {
        return null
      }
    },

    async open(tier, sealed) {
      if (tier === 'plain') return sealed
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

    authenticate(fingerprint, text) {
      const key = JSON.stringify(['latchkey record', appId, fingerprint])
      return createHmac('sha256', key).update(text).digest('hex')
    },
  }

  function tierOf(encrypted: Buffer): SealTier {
    const isBasic = safeStorage.getSelectedStorageBackend?.() === 'basic_text' || hasBuiltInKey(encrypted)
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

function textOf(decrypted: unknown): string | null {
  const parsed = z.safeParse(decryptedSchema, decrypted)
  if (!parsed.success) return null
  return typeof parsed.data === 'string' ? parsed.data : parsed.data.result
}
