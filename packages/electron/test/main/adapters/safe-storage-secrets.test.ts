import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { SealTier, SecretsPort } from '../../../src/core/ports.ts'
import {
  createSafeStorageSecrets,
  type SafeStorage,
  type SafeStorageOptions,
} from '../../../src/main/adapters/safe-storage-secrets.ts'
import { createFakeSecrets } from '../../doubles/fake-secrets.ts'

const plainText = { tier: 'plain', sealed: 'text' }

/** Imitates Chromium's encryption: a version prefix and unreadable bytes. */
function scramble(prefix: string, text: string): Buffer {
  const body = Buffer.from(JSON.stringify({ text })).map((byte) => byte ^ 0x5a)
  return Buffer.concat([Buffer.from(prefix), body])
}

function unscramble(prefix: string, encrypted: Buffer): string {
  if (encrypted.subarray(0, 3).toString() !== prefix) throw new Error('Error while decrypting the ciphertext')
  const { text } = JSON.parse(Buffer.from(encrypted.subarray(3).map((byte) => byte ^ 0x5a)).toString())
  return text
}

function syncStorage(prefix: string, isAvailable = true): SafeStorage {
  return {
    isEncryptionAvailable: () => isAvailable,
    encryptString: (text) => scramble(prefix, text),
    decryptString: (encrypted) => unscramble(prefix, encrypted),
  }
}

function asyncStorage(
  prefix: string,
): Required<Pick<SafeStorage, 'encryptStringAsync' | 'decryptStringAsync'>> & SafeStorage {
  return {
    isAsyncEncryptionAvailable: async () => true,
    encryptStringAsync: async (text) => scramble(prefix, text),
    decryptStringAsync: async (encrypted) => ({
      shouldReEncrypt: false,
      result: unscramble(prefix, encrypted),
    }),
  }
}

/** The asynchronous functions of a keychain that all answer the same way. */
function answering(answer: () => Promise<never>, isAvailable: () => Promise<boolean> = answer): SafeStorage {
  return {
    isAsyncEncryptionAvailable: isAvailable,
    encryptStringAsync: answer,
    decryptStringAsync: answer,
  }
}
const failing = answering(
  () => Promise.reject(new Error('keychain is locked')),
  async () => true,
)
const silent = answering(() => new Promise(() => {}))

const make = (safeStorage: SafeStorage | null, options: Partial<SafeStorageOptions> = {}) =>
  createSafeStorageSecrets({
    safeStorage: safeStorage && (() => safeStorage),
    platform: 'linux',
    appId: 'com.example.notes',
    electronVersion: '45.4.1',
    timeoutMs: 500,
    ...options,
  })

const sealedAs = (prefix: string): string => scramble(prefix, 'text').toString('base64')

/** Lets time pass only when the test says so. */
function stopTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
}

describe.each<[string, SealTier, () => SecretsPort]>([
  ['synchronous safeStorage on macOS', 'keychain', () => make(syncStorage('v10'), { platform: 'darwin' })],
  ['asynchronous safeStorage on Windows', 'keychain', () => make(asyncStorage('v10'), { platform: 'win32' })],
  ['safeStorage on Linux with a keyring', 'keychain', () => make(syncStorage('v11'))],
  ['safeStorage on Linux with the built-in key', 'basic', () => make(asyncStorage('v10'))],
  ['safeStorage without encryption', 'plain', () => make(syncStorage('v10', false))],
  ['a runtime without safeStorage calls', 'plain', () => make({})],
  ...(['keychain', 'basic', 'plain'] as const).map((tier): [string, SealTier, () => SecretsPort] => [
    'the fake keychain of other tests',
    tier,
    () => createFakeSecrets({ tier }),
  ]),
])('%s, at tier %s,', (_name, tier, create) => {
  test.each(['', '{"license":"1f0a"}', 'ümlaut, emoji 🔑, quotes "\' and\nlines', 'x'.repeat(100_000)])(
    'opens a text it sealed, which can’t be read unless it is plain',
    async (text) => {
      const secrets = create()
      const { tier: sealedAt, sealed } = await secrets.seal(text)
      expect(sealedAt).toBe(tier)
      expect(await secrets.open(sealedAt, sealed)).toBe(text)
      if (tier === 'plain') expect(sealed).toBe(text)
      else if (text !== '') expect(sealed).not.toContain(text)
    },
  )

  test.each(tier === 'plain' ? [] : ['', 'nonsense', '{"not":"sealed"}', 'djEwAAAA'])(
    'answers null to what it never sealed: %j',
    async (text) => {
      expect(await create().open(tier, text)).toBeNull()
    },
  )

  test('authenticates text and device with 64 hex digits', () => {
    const fingerprint = '0123456789abcdef'
    const { authenticate } = create()
    const tag = authenticate(fingerprint, 'text')
    expect(tag).toMatch(/^[0-9a-f]{64}$/)
    expect(create().authenticate(fingerprint, 'text')).toBe(tag)
    const others = [
      authenticate('0123456789abcdee', 'text'),
      authenticate(fingerprint, 'texts'),
      authenticate(`${fingerprint}t`, 'ext'),
    ]
    expect(others).not.toContain(tag)
  })
})

test('a record authenticated for one app does not pass in another', () => {
  const [one, other] = ['com.example.notes', 'com.example.notes2'].map((appId) =>
    make(null, { appId }).authenticate('0123456789abcdef', 'text'),
  )
  expect(one).not.toBe(other)
})

describe('sealing', () => {
  test('uses asynchronous calls where both kinds exist, and gives Linux with basic_text no better name', async () => {
    const { sealed } = await make({ ...syncStorage('sync'), ...asyncStorage('v11') }).seal('text')
    expect(sealed).toBe(sealedAs('v11'))
    const basic = { ...syncStorage('v11'), getSelectedStorageBackend: () => 'basic_text' }
    expect((await make(basic).seal('text')).tier).toBe('basic')
  })

  const throwing: SafeStorage = {
    isEncryptionAvailable: () => {
      throw new Error('no bus')
    },
  }
  test.each([
    ['fails', failing],
    ['throws', throwing],
    ['stays silent', silent],
  ])('leaves the text plain instead of losing it, if the keychain %s', async (_how, storage) => {
    expect(await make(storage).seal('text')).toEqual(plainText)
  })

  const gone: Partial<SafeStorage> = {
    encryptString: () => {
      throw new Error('keychain is gone')
    },
  }
  test.each<[string, SafeStorage, object | null]>([
    ['what opens later, where the system can seal without waiting', syncStorage('v11'), { tier: 'keychain' }],
    ['the text itself, where there is no keychain', syncStorage('v11', false), plainText],
    ['nothing, where it would have to wait', asyncStorage('v11'), null],
    ['nothing, where it can’t', {}, null],
    ['nothing, where it fails', { ...syncStorage('v11'), ...gone }, null],
    ['nothing, while the keychain is asked', { ...syncStorage('v11'), ...silent }, null],
  ])('right before the process ends gives %s', async (_what, storage, outcome) => {
    const keychain = make(storage)
    if (storage.encryptStringAsync === silent.encryptStringAsync) await keychain.seal('before')
    const sealed = keychain.sealNow('text')
    if (outcome === null) expect(sealed).toBeNull()
    else expect(sealed).toMatchObject(outcome)
    if (sealed?.tier === 'keychain') expect(await keychain.open('keychain', sealed.sealed)).toBe('text')
  })
})

describe('an Electron whose asynchronous functions', () => {
  const both = { ...syncStorage('v10'), ...asyncStorage('v11') }

  test.each([
    ['25.9.8', 'v10'],
    ['42.0.0', 'v10'],
    ['42.4.0', 'v10'],
    ['42.4.1', 'v11'],
    ['42.10.0', 'v11'],
    ['43.0.0', 'v11'],
  ])('may end the process is only asked synchronously (%s)', async (electronVersion, prefix) => {
    const options = { platform: 'win32', electronVersion } as const
    const { sealed } = await make(both, options).seal('text')
    expect(sealed).toBe(sealedAs(prefix))
    expect(await make(both, options).open('keychain', sealed)).toBe('text')
  })

  /** A keychain that says `false` for its first questions. */
  function early(answersUntilYes: number, platform: NodeJS.Platform) {
    const calls: string[] = []
    const working = asyncStorage('v11')
    let asked = 0
    const safeStorage: SafeStorage = {
      isAsyncEncryptionAvailable: async () => {
        asked += 1
        calls.push('ask')
        return asked > answersUntilYes
      },
      encryptStringAsync: (text) => {
        calls.push('encrypt')
        return working.encryptStringAsync(text)
      },
      decryptStringAsync: async (encrypted) => {
        calls.push('decrypt')
        if (asked <= answersUntilYes) throw new Error('too early')
        return working.decryptStringAsync(encrypted)
      },
    }
    return { calls, secrets: make(safeStorage, { platform, timeoutMs: 2_000 }) }
  }

  test.each(['darwin', 'win32', 'linux'] as const)(
    'say “no” soon after the start is waited for, and asked once by all (%s)',
    async (platform) => {
      const { calls, secrets } = early(2, platform)
      const both = [secrets.open('keychain', sealedAs('v11')), secrets.seal('text')]
      expect(await Promise.all(both)).toMatchObject(['text', { tier: 'keychain' }])
      expect(calls.toSorted()).toEqual(['ask', 'ask', 'ask', 'decrypt', 'encrypt'])
      expect(calls.indexOf('decrypt')).toBeGreaterThan(2)
      await secrets.seal('another')
      expect(calls.filter((call) => call === 'ask')).toHaveLength(3)
    },
  )

  test('say “no” for longer opens the record later, without a question from outside', async () => {
    stopTime()
    const { calls, secrets } = early(8, 'darwin')
    const onAnswer = vi.fn()
    secrets.onAnswer?.(onAnswer)
    const opening = secrets.open('keychain', sealedAs('v11'))
    await vi.advanceTimersByTimeAsync(2_000)
    expect(await opening).toBeNull()
    expect(calls).not.toContain('decrypt')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(onAnswer).toHaveBeenCalledOnce()
    expect(await secrets.open('keychain', sealedAs('v11'))).toBe('text')
    expect(await secrets.seal('text')).toMatchObject({ tier: 'keychain' })
  })
})

describe('the getter of safeStorage', () => {
  test('is read only when something is sealed or opened', async () => {
    const safeStorage = vi.fn(() => asyncStorage('v11'))
    const secrets = make(null, { safeStorage })
    secrets.authenticate('0123456789abcdef', 'text')
    secrets.isAnswerAwaited?.()
    expect(await secrets.open('plain', 'text')).toBe('text')
    expect(await secrets.describe()).toBe('not used yet')
    expect(safeStorage).not.toHaveBeenCalled()
    await secrets.seal('text')
    expect(safeStorage).toHaveBeenCalledOnce()
    expect(await secrets.describe()).toBe('available')
  })

  test('is not there with the keychain turned off: nothing it sealed opens, and all is plain', async () => {
    const secrets = make(null)
    expect(await secrets.seal('text')).toEqual(plainText)
    expect(secrets.sealNow('text')).toEqual(plainText)
    expect(await secrets.open('keychain', sealedAs('v11'))).toBeNull()
    expect(await secrets.describe()).toBe('turned off')
  })
})

describe('opening a sealed text', () => {
  const odd = { ...asyncStorage('v11'), decryptStringAsync: async () => ({ result: 42 }) }
  test.each<[string, SafeStorage, string | null]>([
    ['by the call of the same kind', asyncStorage('v11'), 'text'],
    ['by the call of the other kind', syncStorage('v11'), 'text'],
    ['synchronously, where the asynchronous call can’t', { ...syncStorage('v11'), ...failing }, 'text'],
    ['by no keychain', {}, null],
    ['by a locked keychain', failing, null],
    ['by a silent keychain', silent, null],
    ['by another keychain', syncStorage('v12'), null],
    ['by a runtime that answers something else than text', odd, null],
  ])('works %s, or is null', async (_how, storage, text) => {
    expect(await make(storage).open('keychain', sealedAs('v11'))).toBe(text)
  })

  test('doesn’t take one made with the built-in key for one from the keyring', async () => {
    const secrets = make(syncStorage('v10'))
    expect(await secrets.open('keychain', sealedAs('v10'))).toBeNull()
    expect(await secrets.open('basic', sealedAs('v10'))).toBe('text')
  })
})

describe('a keychain whose prompt is answered “no” at once', () => {
  const sealed = sealedAs('v10')

  /** A keychain of an Electron with both APIs. The synchronous one shows a second prompt, which blocks the app. */
  function refusing(known: Partial<SafeStorage>, platform: NodeJS.Platform = 'win32') {
    const block = vi.fn()
    const storage: SafeStorage = {
      decryptStringAsync: () => Promise.reject(new Error('declined')),
      isEncryptionAvailable: () => true,
      encryptStringAsync: async (text) => scramble('v10', text),
      encryptString: (text) => {
        block()
        return scramble('v10', text)
      },
      decryptString: () => {
        block()
        return 'text'
      },
      ...known,
    }
    return { secrets: make(storage, { platform }), block }
  }

  // Electron's real answer: it says “available” as soon as it has asked, whatever the user answered.
  const saysAvailable: Partial<SafeStorage> = { isAsyncEncryptionAvailable: async () => true }

  test.each<[string, Partial<SafeStorage>, NodeJS.Platform]>([
    ['is unavailable', { isAsyncEncryptionAvailable: async () => false }, 'win32'],
    ['fails', { isAsyncEncryptionAvailable: () => Promise.reject(new Error('no bus')) }, 'win32'],
    ['doesn’t answer', { isAsyncEncryptionAvailable: () => new Promise(() => {}) }, 'win32'],
    ['can’t be asked', {}, 'win32'],
    ['is that of macOS, which always calls itself available', saysAvailable, 'darwin'],
  ])('doesn’t stop the app with a second prompt when it %s', async (_what, known, platform) => {
    const { secrets, block } = refusing(known, platform)
    expect(await secrets.open('keychain', sealed)).toBeNull()
    expect(await secrets.open('keychain', sealed)).toBeNull()
    expect(block).not.toHaveBeenCalled()
  })

  test('doesn’t hold up the exit with a second prompt on macOS, until it seals again', async () => {
    const { secrets, block } = refusing(saysAvailable, 'darwin')
    await secrets.open('keychain', sealed)
    // Like `seal()` without a keychain, so that what isn't saved when the app quits isn't lost.
    expect(secrets.sealNow('text')).toEqual(plainText)
    expect(block).not.toHaveBeenCalled()
    await secrets.seal('text')
    expect(secrets.sealNow('text')).toMatchObject({ tier: 'keychain' })
  })

  test('opens what the other API sealed when it is unlocked, elsewhere', async () => {
    const { secrets, block } = refusing(saysAvailable)
    expect(await secrets.open('keychain', sealed)).toBe('text')
    expect(await secrets.open('keychain', sealed)).toBe('text')
    expect(block).toHaveBeenCalledOnce()
  })

  test('holds up the launch for no longer than one time limit in all', async () => {
    stopTime()
    const later = new Promise<boolean>((resolve) => {
      setTimeout(() => resolve(true), 1_500)
    })
    const opened = vi.fn()
    const storage = { ...silent, isAsyncEncryptionAvailable: () => later }
    void make(storage, { timeoutMs: 2_000 }).open('keychain', sealedAs('v11')).then(opened)
    await vi.advanceTimersByTimeAsync(1_999)
    expect(opened).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(opened).toHaveBeenCalledExactlyOnceWith(null)
  })
})

describe('a keychain that asks its user', () => {
  const sealed = sealedAs('v11')

  /** Answers when the test decides. */
  function asking(known: Partial<SafeStorage> = {}) {
    let answer = (_text: string | Error): void => {}
    const ask = vi.fn(
      () =>
        new Promise((resolve, reject) => {
          answer = (text) => (text instanceof Error ? reject(text) : resolve({ result: text }))
        }),
    )
    const storage = { ...asyncStorage('v11'), decryptStringAsync: ask, ...known }
    return { secrets: make(storage), ask, answer: (text: string | Error) => answer(text) }
  }

  test('is asked once per launch, and not by a call that stops the app; the launch continues without it', async () => {
    const block = vi.fn(() => 'text')
    const { secrets, ask } = asking({ decryptString: block })
    for (const text of [sealed, sealed, Buffer.from('v11other').toString('base64')]) {
      expect(await secrets.open('keychain', text)).toBeNull()
    }
    expect(await secrets.seal('text')).toEqual(plainText)
    expect(ask).toHaveBeenCalledOnce()
    expect(block).not.toHaveBeenCalled()
  })

  test('is used once the user has answered', async () => {
    const { secrets, ask, answer } = asking()
    const onAnswer = vi.fn()
    secrets.onAnswer?.(onAnswer)
    expect(secrets.isAnswerAwaited?.()).toBe(false)
    await secrets.open('keychain', sealed)
    expect(onAnswer).not.toHaveBeenCalled()
    expect(secrets.isAnswerAwaited?.()).toBe(true)
    answer('the record')
    await expect.poll(() => onAnswer.mock.calls.length).toBe(1)
    expect(secrets.isAnswerAwaited?.()).toBe(false)
    expect(await secrets.open('keychain', sealed)).toBe('the record')
    expect(await secrets.seal('text')).toMatchObject({ tier: 'keychain' })
    expect(ask).toHaveBeenCalledOnce()
  })

  test.each(['late', 'at once'])(
    'isn’t asked again, nor for the copy, after the user refused %s',
    async (when) => {
      const block = vi.fn(() => 'text')
      const { secrets, ask, answer } = asking(when === 'late' ? { decryptString: block } : {})
      const opened = secrets.open('keychain', sealed)
      if (when === 'late') await opened
      else await expect.poll(() => ask.mock.calls.length).toBe(1)
      answer(new Error('declined'))
      await opened
      await expect.poll(() => secrets.isAnswerAwaited?.()).toBe(false)
      expect(await secrets.open('keychain', sealed)).toBeNull()
      expect(ask).toHaveBeenCalledOnce()
      expect(block).not.toHaveBeenCalled()
    },
  )
})
