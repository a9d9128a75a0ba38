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

/** How long to wait before trying to open something again, in milliseconds, because a keychain may prompt the user. */
const quietMs = 60_000

const decryptedSchema = z.union([z.string(), z.object({ result: z.string() })])

/** Seals texts with the operating system's keychain, if there is one. */
export function createSafeStorageSecrets(options: SafeStorageOptions): SecretsPort {
  const { safeStorage, platform, appId, timeoutMs = 2_000 } = options
  const listeners = new Set<() => void>()
  // Results that came after the launch continued, and pending attempts, by sealed text.
  const late = new Map<string, string | null>()
  const refusedAtMs = new Map<string, number>()
  let unanswered = 0
  let hasRejected = false

  /**
   * Waits as long as a launch may. The operation continues afterwards, and until it ends the keychain gets no other
   * request.
   *
   * @param limitMs how long that is, in milliseconds.
   * @throws {TimeLimitError} if there is no answer yet.
   */
  async function soon<Value>(
    begin: () => Promise<Value>,
    onLate: (answer: Promise<Value>) => Promise<void>,
    limitMs = timeoutMs,
  ): Promise<Value> {
    if (unanswered > 0) throw new TimeLimitError('The keychain has not answered yet')
    const answer = begin()
    try {
      return await withinTime(answer, limitMs)
    } catch (error) {
      if (error instanceof TimeLimitError) {
        unanswered += 1
        void onLate(answer)
          .catch(() => {})
          .then(answerCame)
      }
      throw error
    }
  }

  function answerCame(): void {
    unanswered -= 1
    if (unanswered === 0) for (const listener of [...listeners]) listener()
  }

  const wait = async (answer: Promise<unknown>): Promise<void> => void (await answer)

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
      const isAvailable = await soon(() => isAsyncEncryptionAvailable.call(safeStorage), wait)
      return isAvailable ? await soon(() => noted(encryptStringAsync.call(safeStorage, text)), wait) : null
    }
    if (safeStorage.isEncryptionAvailable?.() !== true) return null
    return safeStorage.encryptString?.(text) ?? null
  }

  /** @throws if the keychain refused, or {@link TimeLimitError} if it has not answered yet. */
  async function decryptSoon(sealed: string, encrypted: Buffer): Promise<string | null> {
    const { decryptStringAsync } = safeStorage
    if (decryptStringAsync === undefined) return null
    const keep = async (answer: Promise<unknown>): Promise<void> => {
      late.set(sealed, null)
      try {
        late.set(sealed, textOf(await answer))
      } catch (error) {
        // The user dismissed the prompt. The keychain may be unlocked later, so ask again after a while.
        late.delete(sealed)
        refusedAtMs.set(sealed, performance.now())
        throw error
      }
    }
    return textOf(await soon(() => noted(decryptStringAsync.call(safeStorage, encrypted)), keep))
  }

  /** Whether the keychain answers without asking its user. */
  async function isUnlocked(limitMs: number): Promise<boolean> {
    const { isAsyncEncryptionAvailable } = safeStorage
    if (isAsyncEncryptionAvailable === undefined) return false
    return soon(() => isAsyncEncryptionAvailable.call(safeStorage), wait, limitMs).catch(() => false)
  }

  /**
   * Whether a synchronous call would show a prompt that the user just declined. On macOS, Electron reports encryption as
   * available even then, and both APIs use the same key.
   */
  function wouldAskAgain(): boolean {
    return platform === 'darwin' && hasRejected
  }

  function wasRefused(sealed: string): boolean {
    return performance.now() - (refusedAtMs.get(sealed) ?? Number.NEGATIVE_INFINITY) < quietMs
  }

  return {
    async seal(text) {
      try {
        const encrypted = await encrypt(text)
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
      if (wouldAskAgain()) return { tier: 'plain', sealed: text }
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
      const opened = late.get(sealed)
      if (opened !== undefined || wasRefused(sealed)) return opened ?? null
      const beganAtMs = performance.now()
      let mayTryOther = true
      try {
        const text = await decryptSoon(sealed, encrypted)
        if (text !== null) return text
      } catch (error) {
        // The keychain may be asking the user, and the synchronous call would block the app until there is an answer.
        if (error instanceof TimeLimitError) return null
        // The user may have refused, and the synchronous call would ask again. On macOS it can't open more either.
        mayTryOther =
          !wouldAskAgain() && (await isUnlocked(Math.max(0, timeoutMs - (performance.now() - beganAtMs))))
      }
      const text = mayTryOther ? decryptNow(encrypted) : null
      if (text === null) refusedAtMs.set(sealed, performance.now())
      return text
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

  /** The record may have been sealed with this API, before the app changed its Electron version. */
  function decryptNow(encrypted: Buffer): string | null {
    try {
      return textOf(safeStorage.decryptString?.(encrypted))
    } catch {
      // It was sealed by another user, another machine, or a keychain that no longer exists.
      return null
    }
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
