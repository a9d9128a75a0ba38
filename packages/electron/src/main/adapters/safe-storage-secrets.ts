import { createHmac } from 'node:crypto'
import * as z from 'zod/mini'
import type { SealTier, SecretsPort } from '../../core/ports/secrets-port.ts'
import { TimeLimitError, withinTime } from './within-time.ts'

/**
 * Electron's `safeStorage`, as far as it is used. The asynchronous calls came with Electron 42, the synchronous ones
 * leave with 46, and `getSelectedStorageBackend` exists on Linux alone: so each may be missing.
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

/** What the sealing needs to know. */
export interface SafeStorageOptions {
  readonly safeStorage: SafeStorage
  readonly platform: NodeJS.Platform
  readonly appId: string
  /** How long a keychain may take to answer, in milliseconds; it may be asking the user. @default 2_000 */
  readonly timeoutMs?: number
}

/** What did not open is not tried again for so long: a keychain would ask its user once more. */
const quietMs = 60_000

const decryptedSchema = z.union([z.string(), z.object({ result: z.string() })])

/** Seals texts with the operating system's keychain, as well as there is one. */
export function createSafeStorageSecrets(options: SafeStorageOptions): SecretsPort {
  const { safeStorage, platform, appId, timeoutMs = 2_000 } = options
  const listeners = new Set<() => void>()
  // What was opened after the launch had gone on without it, and what is still being opened, by its sealed text.
  const late = new Map<string, string | null>()
  const refusedAtMs = new Map<string, number>()
  let unanswered = 0

  /**
   * Waits as long as a launch may. What was begun goes on, and while it does, the keychain is asked nothing else.
   *
   * @throws {TimeLimitError} when there is no answer yet.
   */
  async function soon<Value>(
    begin: () => Promise<Value>,
    onLate: (answer: Promise<Value>) => Promise<void>,
  ): Promise<Value> {
    if (unanswered > 0) throw new TimeLimitError('The keychain has yet to answer')
    const answer = begin()
    try {
      return await withinTime(answer, timeoutMs)
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

  async function encrypt(text: string): Promise<Buffer | null> {
    const { encryptStringAsync, isAsyncEncryptionAvailable } = safeStorage
    if (encryptStringAsync !== undefined && isAsyncEncryptionAvailable !== undefined) {
      const isAvailable = await soon(() => isAsyncEncryptionAvailable.call(safeStorage), wait)
      return isAvailable ? await soon(() => encryptStringAsync.call(safeStorage, text), wait) : null
    }
    if (safeStorage.isEncryptionAvailable?.() !== true) return null
    return safeStorage.encryptString?.(text) ?? null
  }

  /** A record may have been sealed by the other kind of call, before the app's Electron was changed. */
  function decryptions(sealed: string, encrypted: Buffer): readonly (() => Promise<unknown>)[] {
    const { decryptStringAsync, decryptString } = safeStorage
    const keep = async (answer: Promise<unknown>): Promise<void> => {
      late.set(sealed, null)
      try {
        late.set(sealed, textOf(await answer))
      } catch (error) {
        // A prompt that was dismissed: the keychain may be unlocked later, and is asked again after a while.
        late.delete(sealed)
        refusedAtMs.set(sealed, performance.now())
        throw error
      }
    }
    return [
      ...(decryptStringAsync === undefined
        ? []
        : [() => soon(() => decryptStringAsync.call(safeStorage, encrypted), keep)]),
      ...(decryptString === undefined ? [] : [async () => decryptString.call(safeStorage, encrypted)]),
    ]
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
        // A keychain that fails is as good as none.
      }
      return { tier: 'plain', sealed: text }
    },

    async open(tier, sealed) {
      if (tier === 'plain') return sealed
      const encrypted = Buffer.from(sealed, 'base64')
      // Anyone can make a text that opens with the built-in key: it must not pass for the keychain's.
      if (encrypted.length === 0 || (tier === 'keychain' && hasBuiltInKey(encrypted))) return null
      const opened = late.get(sealed)
      if (opened !== undefined || wasRefused(sealed)) return opened ?? null
      for (const decrypt of decryptions(sealed, encrypted)) {
        try {
          const text = textOf(await decrypt())
          if (text !== null) return text
        } catch (error) {
          // It may be asking the user: the synchronous call would hold up the whole app until there is an answer.
          if (error instanceof TimeLimitError) return null
          // Sealed by another user, another machine, or a keychain that is gone.
        }
      }
      refusedAtMs.set(sealed, performance.now())
      return null
    },

    onAnswer(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },

    authenticate(fingerprint, text) {
      const key = JSON.stringify(['latchkey record', appId, fingerprint])
      return createHmac('sha256', key).update(text).digest('hex')
    },
  }

  function tierOf(encrypted: Buffer): SealTier {
    const isBasic = safeStorage.getSelectedStorageBackend?.() === 'basic_text' || hasBuiltInKey(encrypted)
    return isBasic && platform === 'linux' ? 'basic' : 'keychain'
  }

  /** On Linux Chromium writes `v10` before what its built-in key encrypted, `v11` before what the keyring's did. */
  function hasBuiltInKey(encrypted: Buffer): boolean {
    return platform === 'linux' && encrypted.subarray(0, 3).toString('latin1') === 'v10'
  }
}

function textOf(decrypted: unknown): string | null {
  const parsed = decryptedSchema.safeParse(decrypted)
  if (!parsed.success) return null
  return typeof parsed.data === 'string' ? parsed.data : parsed.data.result
}
