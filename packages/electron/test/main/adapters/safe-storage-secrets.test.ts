import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  createSafeStorageSecrets,
  type SafeStorage,
} from '../../../src/main/adapters/safe-storage-secrets.ts'
import { describeSecretsContract } from '../../contracts/secrets-contract.ts'

const appId = 'com.example.notes'

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

function asyncStorage(prefix: string, isAvailable = true): SafeStorage {
  return {
    isAsyncEncryptionAvailable: async () => isAvailable,
    encryptStringAsync: async (text) => scramble(prefix, text),
    decryptStringAsync: async (encrypted) => ({
      shouldReEncrypt: false,
      result: unscramble(prefix, encrypted),
    }),
  }
}

const failing: SafeStorage = {
  isAsyncEncryptionAvailable: async () => true,
  encryptStringAsync: () => Promise.reject(new Error('keychain is locked')),
  decryptStringAsync: () => Promise.reject(new Error('keychain is locked')),
}

const silent: SafeStorage = {
  isAsyncEncryptionAvailable: () => new Promise(() => {}),
  encryptStringAsync: () => new Promise(() => {}),
  decryptStringAsync: () => new Promise(() => {}),
}

const make = (
  safeStorage: SafeStorage,
  platform: NodeJS.Platform = 'linux',
  timeoutMs = 500,
  electronVersion = '45.4.1',
) => createSafeStorageSecrets({ safeStorage: () => safeStorage, platform, appId, timeoutMs, electronVersion })

describeSecretsContract('synchronous safeStorage on macOS', 'keychain', () =>
  make(syncStorage('v10'), 'darwin'),
)
describeSecretsContract('asynchronous safeStorage on Windows', 'keychain', () =>
  make(asyncStorage('v10'), 'win32'),
)
describeSecretsContract('safeStorage on Linux with a keyring', 'keychain', () => make(syncStorage('v11')))
describeSecretsContract('safeStorage on Linux with the built-in key', 'basic', () =>
  make(asyncStorage('v10')),
)
describeSecretsContract('safeStorage without encryption', 'plain', () => make(syncStorage('v10', false)))
describeSecretsContract('a runtime without safeStorage calls', 'plain', () => make({}))

describe('sealing right before the process ends', () => {
  test('gives what opens later, where the system can seal without waiting', async () => {
    const keychain = make(syncStorage('v11'))
    const sealed = keychain.sealNow('text')
    expect(sealed?.tier).toBe('keychain')
    expect(await keychain.open('keychain', sealed?.sealed ?? '')).toBe('text')
    expect(make(syncStorage('v10', false)).sealNow('text')).toEqual({ tier: 'plain', sealed: 'text' })
  })

  test('gives nothing where it would have to wait, or fails', async () => {
    expect(make(asyncStorage('v11')).sealNow('text')).toBeNull()
    expect(make({}).sealNow('text')).toBeNull()
    const throws = (): never => {
      throw new Error('keychain is gone')
    }
    expect(make({ ...syncStorage('v11'), encryptString: throws }).sealNow('text')).toBeNull()
    const asking = make({ ...syncStorage('v11'), ...silent })
    await asking.seal('text')
    expect(asking.sealNow('text')).toBeNull()
  })
})

describe('sealing with the operating system’s keychain', () => {
  test('asynchronous calls are preferred where both kinds exist', async () => {
    const both = { ...syncStorage('sync'), ...asyncStorage('v11') }
    const { sealed } = await make(both).seal('text')
    expect(Buffer.from(sealed, 'base64').subarray(0, 3).toString()).toBe('v11')
  })

  test('Linux that says basic_text gets no better name than basic, whatever the bytes look like', async () => {
    const storage = { ...syncStorage('v11'), getSelectedStorageBackend: () => 'basic_text' }
    expect((await make(storage).seal('text')).tier).toBe('basic')
  })

  test('a keychain that fails, throws or stays silent leaves the text plain instead of losing it', async () => {
    const throwing: SafeStorage = {
      isEncryptionAvailable: () => {
        throw new Error('no bus')
      },
    }
    for (const storage of [failing, throwing, silent]) {
      expect(await make(storage).seal('text')).toEqual({ tier: 'plain', sealed: 'text' })
    }
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
  ])('may end the process is only asked synchronously (%s)', async (version, prefix) => {
    const { sealed } = await make(both, 'win32', 20, version).seal('text')
    expect(Buffer.from(sealed, 'base64').toString().startsWith(prefix)).toBe(true)
    expect(await make(both, 'win32', 20, version).open('keychain', sealed)).toBe('text')
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
        return working.encryptStringAsync?.(text) ?? Promise.reject()
      },
      decryptStringAsync: (encrypted) => {
        calls.push('decrypt')
        return asked > answersUntilYes
          ? (working.decryptStringAsync?.(encrypted) ?? Promise.reject())
          : Promise.reject(new Error('too early'))
      },
    }
    return { calls, secrets: make(safeStorage, platform, 2_000) }
  }

  test.each(['darwin', 'win32', 'linux'] as const)(
    'say “no” soon after the start is waited for, and asked once by all (%s)',
    async (platform) => {
      const { calls, secrets } = early(2, platform)
      const text = scramble('v11', 'text').toString('base64')
      expect(await Promise.all([secrets.open('keychain', text), secrets.seal('text')])).toMatchObject([
        'text',
        { tier: 'keychain' },
      ])
      expect(calls.toSorted()).toEqual(['ask', 'ask', 'ask', 'decrypt', 'encrypt'])
      expect(calls.indexOf('decrypt')).toBeGreaterThan(2)
      await secrets.seal('another')
      expect(calls.filter((call) => call === 'ask')).toHaveLength(3)
    },
  )

  test('say “no” for longer opens the record later, without a question from outside', async () => {
    const { calls, secrets } = early(8, 'darwin')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const text = scramble('v11', 'text').toString('base64')
    let answers = 0
    secrets.onAnswer?.(() => {
      answers += 1
    })
    const opening = secrets.open('keychain', text)
    await vi.advanceTimersByTimeAsync(2_000)
    expect(await opening).toBeNull()
    expect(calls).not.toContain('decrypt')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(answers).toBe(1)
    expect(await secrets.open('keychain', text)).toBe('text')
    expect(await secrets.seal('text')).toMatchObject({ tier: 'keychain' })
  })
})

describe('the getter of safeStorage', () => {
  function counting(isOn: boolean) {
    let reads = 0
    const secrets = createSafeStorageSecrets({
      safeStorage: isOn
        ? () => {
            reads += 1
            return asyncStorage('v11')
          }
        : null,
      platform: 'linux',
      appId,
      electronVersion: '45.4.1',
    })
    return { secrets, reads: () => reads }
  }

  test('is read only when something is sealed or opened', async () => {
    const { secrets, reads } = counting(true)
    secrets.authenticate('0123456789abcdef', 'text')
    secrets.isAnswerAwaited?.()
    expect(await secrets.open('plain', 'text')).toBe('text')
    expect(await secrets.describe()).toBe('not used yet')
    expect(reads()).toBe(0)
    await secrets.seal('text')
    expect(reads()).toBe(1)
    expect(await secrets.describe()).toBe('available')
  })

  test('is never read with the keychain turned off', async () => {
    const { secrets, reads } = counting(false)
    expect(await secrets.seal('text')).toEqual({ tier: 'plain', sealed: 'text' })
    expect(secrets.sealNow('text')).toEqual({ tier: 'plain', sealed: 'text' })
    expect(await secrets.open('keychain', scramble('v11', 'text').toString('base64'))).toBeNull()
    expect(await secrets.describe()).toBe('turned off')
    expect(reads()).toBe(0)
  })
})

describe('opening a sealed text', () => {
  test('what a synchronous call sealed opens with asynchronous ones, and the other way round', async () => {
    const { sealed } = await make(syncStorage('v11')).seal('text')
    expect(await make(asyncStorage('v11')).open('keychain', sealed)).toBe('text')
    const later = await make(asyncStorage('v11')).seal('text')
    expect(await make(syncStorage('v11')).open('keychain', later.sealed)).toBe('text')
  })

  test('where the asynchronous call cannot open it, the synchronous one is tried', async () => {
    const { sealed } = await make(syncStorage('v11')).seal('text')
    expect(await make({ ...syncStorage('v11'), ...failing }).open('keychain', sealed)).toBe('text')
  })

  test('a lost, locked or silent keychain answers null', async () => {
    const { sealed } = await make(syncStorage('v11')).seal('text')
    expect(await make({}).open('keychain', sealed)).toBeNull()
    expect(await make(failing).open('keychain', sealed)).toBeNull()
    expect(await make(silent).open('keychain', sealed)).toBeNull()
    expect(await make(syncStorage('v12')).open('keychain', sealed)).toBeNull()
  })

  test('a text made with the built-in key does not pass for one from the keyring', async () => {
    const forged = scramble('v10', 'forged').toString('base64')
    const storage: SafeStorage = { decryptString: (encrypted) => unscramble('v10', encrypted) }
    expect(await make(storage).open('keychain', forged)).toBeNull()
    expect(await make(storage).open('basic', forged)).toBe('forged')
  })

  test('a runtime that answers something else than text is not believed', async () => {
    const odd: SafeStorage = {
      isAsyncEncryptionAvailable: async () => true,
      decryptStringAsync: async () => ({ result: 42 }),
    }
    expect(await make(odd).open('keychain', scramble('v11', 'text').toString('base64'))).toBeNull()
  })
})

test('a record authenticated for one app does not pass in another', () => {
  const other = createSafeStorageSecrets({
    safeStorage: null,
    platform: 'linux',
    appId: `${appId}2`,
    electronVersion: '45.4.1',
  })
  const fingerprint = '0123456789abcdef'
  expect(other.authenticate(fingerprint, 'text')).not.toBe(make({}).authenticate(fingerprint, 'text'))
})

test('a keychain that is asking the user is not asked again by a call that stops the app until there is an answer', async () => {
  let asked = 0
  const secrets = make({
    ...silent,
    decryptString: () => {
      asked += 1
      return 'text'
    },
  })
  expect(await secrets.open('keychain', Buffer.from('v11sealed').toString('base64'))).toBeNull()
  expect(asked).toBe(0)
})

describe('a keychain whose prompt is answered “no” at once', () => {
  const sealed = Buffer.from('v11sealed').toString('base64')

  /** A keychain of an Electron with both APIs. The synchronous one shows a second prompt, which blocks the app. */
  function refusing(known: Partial<SafeStorage>, platform: NodeJS.Platform = 'linux') {
    const calls = { blocking: 0 }
    const storage: SafeStorage = {
      decryptStringAsync: () => Promise.reject(new Error('declined')),
      decryptString: () => {
        calls.blocking += 1
        return 'text'
      },
      ...known,
    }
    return { secrets: make(storage, platform), calls }
  }

  test.each<readonly [string, Partial<SafeStorage>]>([
    ['is unavailable', { isAsyncEncryptionAvailable: async () => false }],
    ['fails', { isAsyncEncryptionAvailable: () => Promise.reject(new Error('no bus')) }],
    ['doesn’t answer', { isAsyncEncryptionAvailable: () => new Promise(() => {}) }],
    ['can’t be asked', {}],
  ])('doesn’t stop the app with a second prompt when it %s', async (_what, known) => {
    const { secrets, calls } = refusing(known)
    expect(await secrets.open('keychain', sealed)).toBeNull()
    expect(await secrets.open('keychain', sealed)).toBeNull()
    expect(calls.blocking).toBe(0)
  })

  // Electron's real answer: it says “available” as soon as it has asked, whatever the user answered.
  const saysAvailable: Partial<SafeStorage> = { isAsyncEncryptionAvailable: async () => true }

  test('doesn’t stop the app with a second prompt on macOS, where it always calls itself available', async () => {
    const { secrets, calls } = refusing(saysAvailable, 'darwin')
    expect(await secrets.open('keychain', sealed)).toBeNull()
    expect(await secrets.open('keychain', sealed)).toBeNull()
    expect(calls.blocking).toBe(0)
  })

  test('doesn’t hold up the exit with a second prompt on macOS, until it seals again', async () => {
    const seal = (text: string): Buffer => {
      calls.blocking += 1
      return scramble('v10', text)
    }
    const both = { isEncryptionAvailable: () => true, encryptString: seal, ...saysAvailable }
    const encryptStringAsync = async (text: string): Promise<Buffer> => scramble('v10', text)
    const { secrets, calls } = refusing({ ...both, encryptStringAsync }, 'darwin')
    await secrets.open('keychain', sealed)
    // Like `seal()` without a keychain, so that what isn't saved when the app quits isn't lost.
    expect(secrets.sealNow('text')).toEqual({ tier: 'plain', sealed: 'text' })
    expect(calls.blocking).toBe(0)
    await secrets.seal('text')
    expect(secrets.sealNow('text')).toMatchObject({ tier: 'keychain' })
  })

  test('opens what the other API sealed when it is unlocked', async () => {
    const { secrets, calls } = refusing(saysAvailable)
    expect(await secrets.open('keychain', sealed)).toBe('text')
    expect(await secrets.open('keychain', sealed)).toBe('text')
    expect(calls.blocking).toBe(1)
  })

  test('holds up the launch for no longer than one time limit in all', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const later = new Promise<boolean>((resolve) => {
      setTimeout(() => resolve(true), 1_500)
    })
    const storage: SafeStorage = { ...silent, isAsyncEncryptionAvailable: () => later }
    let opened: string | null | undefined
    void make(storage, 'linux', 2_000)
      .open('keychain', sealed)
      .then((text) => {
        opened = text
      })
    await vi.advanceTimersByTimeAsync(1_999)
    expect(opened).toBeUndefined()
    await vi.advanceTimersByTimeAsync(1)
    expect(opened).toBeNull()
  })
})

describe('a keychain that asks its user', () => {
  const sealed = Buffer.from('v11sealed').toString('base64')

  /** Answers when the test decides. */
  function asking(): { storage: SafeStorage; times: () => number; answer: (text: string | Error) => void } {
    let times = 0
    let answer = (_text: string | Error): void => {}
    return {
      times: () => times,
      answer: (text) => answer(text),
      storage: {
        isAsyncEncryptionAvailable: async () => true,
        encryptStringAsync: async (text) => scramble('v11', text),
        decryptStringAsync: () => {
          times += 1
          return new Promise((resolve, reject) => {
            answer = (text) => (text instanceof Error ? reject(text) : resolve({ result: text }))
          })
        },
      },
    }
  }

  test('is asked once per launch, and the launch continues without it', async () => {
    const keychain = asking()
    const secrets = make(keychain.storage)
    expect(await secrets.open('keychain', sealed)).toBeNull()
    expect(await secrets.open('keychain', sealed)).toBeNull()
    expect(await secrets.open('keychain', Buffer.from('v11other').toString('base64'))).toBeNull()
    expect(await secrets.seal('text')).toEqual({ tier: 'plain', sealed: 'text' })
    expect(keychain.times()).toBe(1)
  })

  test('is used once the user has answered', async () => {
    const keychain = asking()
    const secrets = make(keychain.storage)
    let answers = 0
    const stop = secrets.onAnswer?.(() => {
      answers += 1
    })
    expect(secrets.isAnswerAwaited?.()).toBe(false)
    await secrets.open('keychain', sealed)
    expect(answers).toBe(0)
    expect(secrets.isAnswerAwaited?.()).toBe(true)
    keychain.answer('the record')
    await expect.poll(() => answers).toBe(1)
    expect(secrets.isAnswerAwaited?.()).toBe(false)
    expect(await secrets.open('keychain', sealed)).toBe('the record')
    expect(await secrets.seal('text')).toMatchObject({ tier: 'keychain' })
    expect(keychain.times()).toBe(1)
    stop?.()
  })

  test.each(['late', 'at once'])(
    'isn’t asked again, nor for the copy, after the user refused %s',
    async (when) => {
      const keychain = asking()
      const secrets = make(keychain.storage)
      const opened = secrets.open('keychain', sealed)
      if (when === 'late') await opened
      else await expect.poll(keychain.times).toBe(1)
      keychain.answer(new Error('declined'))
      await opened
      await expect.poll(() => secrets.isAnswerAwaited?.()).toBe(false)
      expect(await secrets.open('keychain', sealed)).toBeNull()
      expect(keychain.times()).toBe(1)
    },
  )
})
