import { createHmac } from 'node:crypto'
import type { SealTier, SecretsPort } from '../../src/core/ports.ts'

/** A keychain made up by the test. */
export interface FakeSecrets extends SecretsPort {
  /** What `seal` uses from now on. */
  tier: SealTier
  /** Names the key of the keychain: another one cannot open what this one sealed. */
  keychain: string
  /** Whether the keychain doesn't answer. What was sealed without it opens. */
  locked: boolean
}

/** What a fake keychain is like. */
export interface FakeSecretsOptions {
  readonly appId?: string
  readonly tier?: SealTier
  readonly keychain?: string
}

/** Makes a keychain. Sealed texts are unreadable to the eye and break when a character of them is changed. */
export function createFakeSecrets(options: FakeSecretsOptions = {}): FakeSecrets {
  const appId = options.appId ?? 'com.example.notes'
  const tagOf = (keychain: string, tier: SealTier, text: string): string =>
    createHmac('sha256', `${keychain}/${tier}`).update(text).digest('hex')

  return {
    tier: options.tier ?? 'keychain',
    keychain: options.keychain ?? 'keychain-one',
    locked: false,
    async seal(text) {
      return this.sealNow(text) ?? { tier: 'plain', sealed: text }
    },
    sealNow(text) {
      if (this.tier === 'plain') return { tier: 'plain', sealed: text }
      const body = Buffer.from(text).toString('base64')
      return { tier: this.tier, sealed: `${tagOf(this.keychain, this.tier, text)}.${body}` }
    },
    async open(tier, sealed) {
      if (tier === 'plain') return sealed
      if (this.locked && tier === 'keychain') return null
      const [tag, body, ...rest] = sealed.split('.')
      if (tag === undefined || body === undefined || rest.length > 0) return null
      const text = Buffer.from(body, 'base64').toString()
      return tag === tagOf(this.keychain, tier, text) ? text : null
    },
    authenticate(fingerprint, text) {
      return createHmac('sha256', `${appId}/${fingerprint}`).update(text).digest('hex')
    },
  }
}

/** A fake keychain that can ask its user. Until there is an answer, it neither opens nor seals. */
export interface AskingSecrets {
  readonly secrets: FakeSecrets
  ask(): void
  answer(): void
  /** The user refuses: nothing opens, and nothing is asked anymore. */
  refuse(): void
}

/** Makes a keychain whose user is asked once the test calls `ask`. */
export function createAskingSecrets(): AskingSecrets {
  const listeners = new Set<() => void>()
  let isAsking = false
  const secrets: FakeSecrets = {
    ...createFakeSecrets(),
    onAnswer(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    isAnswerAwaited: () => isAsking,
  }
  const settle = (): void => {
    isAsking = false
    for (const listener of [...listeners]) listener()
  }
  return {
    secrets,
    ask() {
      isAsking = true
      secrets.locked = true
      secrets.tier = 'plain'
    },
    answer() {
      secrets.locked = false
      secrets.tier = 'keychain'
      settle()
    },
    refuse: settle,
  }
}
