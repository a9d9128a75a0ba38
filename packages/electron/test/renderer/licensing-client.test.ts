import { afterEach, beforeEach, describe, expect, type MockInstance, test, vi } from 'vitest'
import {
  createLicensingClient,
  isLicensingBridgeError,
  type LicensingBridge,
} from '../../src/renderer/index.ts'
import { licensingVerbs, refusedWindow } from '../../src/shared/licensing-bridge.ts'
import type { LicensingState } from '../../src/shared/licensing-state.ts'
import { createFakeClient } from '../../src/testing/index.ts'
import { createFakeBridge, type FakeAnswers } from '../dialog/stage/fake-bridge.ts'
import { active, license, problem, unlicensed } from '../dialog/stage/states.ts'

const verbs = Object.keys(licensingVerbs).filter((verb) => verb !== 'getState')
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))

let logged: MockInstance<typeof console.error>
beforeEach(() => {
  logged = vi.spyOn(console, 'error').mockReturnValue()
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

function makeClient(answers: Partial<FakeAnswers> = {}) {
  const fake = createFakeBridge(unlicensed(), answers)
  return { fake, client: createLicensingClient(fake.bridge) }
}

/** A bridge on which every call fails as `ipcRenderer.invoke` does. */
function bridgeThatFails(why: string): LicensingBridge {
  const failing = Object.keys(licensingVerbs).map((verb) => [
    verb,
    () => Promise.reject(new Error(`Error invoking remote method 'latchkey:${verb}': ${why}`)),
  ])
  return { ...makeClient().fake.bridge, ...Object.fromEntries(failing) }
}

/** The renderer's module in a window of its own, because it connects once per window. */
async function rendererOfWindow(latchkey: unknown) {
  vi.resetModules()
  vi.stubGlobal('latchkey', latchkey)
  return import('../../src/renderer/index.ts')
}

describe('the state in a window', () => {
  test('is null until the first one arrives, then the main process’s latest', async () => {
    const { client, fake } = makeClient()
    expect(client.getSnapshot()).toBeNull()
    expect(await client.ready).toEqual(unlicensed())
    expect(client.getSnapshot()).toEqual(unlicensed())
    fake.push(active())
    expect(client.getSnapshot()).toEqual(active())
    await settled()
    expect(logged).not.toHaveBeenCalled()
  })

  test('may be known from the start, and is corrected by the first answer', async () => {
    const { fake } = makeClient({ state: active() })
    const known = createLicensingClient(fake.bridge, unlicensed())
    expect(known.getSnapshot()).toEqual(unlicensed())
    await known.ready
    expect(known.getSnapshot()).toEqual(active())
  })

  test('is not set back by a first answer that a newer state overtook', async () => {
    const { fake } = makeClient()
    let answer = (_state: LicensingState): void => {}
    const slow = new Promise<LicensingState>((resolve) => {
      answer = resolve
    })
    const client = createLicensingClient({ ...fake.bridge, getState: () => slow })
    fake.push(active())
    answer(unlicensed())
    expect(await client.ready).toEqual(active())
    await settled()
    expect(client.getSnapshot()).toEqual(active())
  })

  test('is the same object until something changes, though every message is a new one, and can’t be changed', async () => {
    const { client, fake } = makeClient()
    const first = await client.ready
    fake.push(unlicensed())
    expect(client.getSnapshot()).toBe(first)
    fake.push(active())
    expect(client.getSnapshot()).not.toBe(first)
    const { license: shown } = client.getSnapshot() ?? {}
    expect(() => Object.assign(shown ?? {}, { maskedKey: 'other' })).toThrow(TypeError)
  })

  test('says whether a feature may be used, and no before the first state', async () => {
    const { client, fake } = makeClient()
    const { has } = client
    const licensed = { license: { ...license, features: ['export'] } }
    expect(has('export')).toBe(false)
    fake.push(active(licensed))
    expect([has('export'), has('sync')]).toEqual([true, false])
    fake.push(unlicensed(licensed))
    expect(has('export')).toBe(false)
  })
})

describe('a subscriber', () => {
  test('is called for changes only, until it unsubscribes', async () => {
    const { client, fake } = makeClient()
    await client.ready
    const listener = vi.fn()
    const stop = client.subscribe(listener)
    fake.push(unlicensed())
    expect(listener).not.toHaveBeenCalled()
    fake.push(active())
    expect(listener).toHaveBeenCalledExactlyOnceWith(active())
    stop()
    fake.push(unlicensed())
    expect(listener).toHaveBeenCalledOnce()
  })

  test('that subscribed twice is called twice, and each subscription ends on its own', async () => {
    const { client, fake } = makeClient()
    await client.ready
    const listener = vi.fn()
    const stop = client.subscribe(listener)
    client.subscribe(listener)
    stop()
    stop()
    fake.push(active())
    expect(listener).toHaveBeenCalledOnce()
  })

  test('that throws does not keep the news from the others', async () => {
    const reported = vi.fn()
    vi.stubGlobal('reportError', reported)
    const { client, fake } = makeClient()
    await client.ready
    const broken = new Error('listener broke')
    client.subscribe(() => {
      throw broken
    })
    const listener = vi.fn()
    client.subscribe(listener)
    fake.push(active())
    expect(listener).toHaveBeenCalledOnce()
    expect(reported).toHaveBeenCalledWith(broken)
  })
})

describe.each([
  ['does not trust the page', `Error: ${refusedWindow}`],
  ['never called createLicensing()', "Error: No handler registered for 'latchkey:devices'"],
])('a main process that %s', (_name, why) => {
  test('rejects every method with the documented error', async () => {
    const client = createLicensingClient(bridgeThatFails(why))
    for (const verb of verbs) {
      const call = async (): Promise<unknown> => Reflect.apply(Reflect.get(client, verb), undefined, ['text'])
      const error = await call().catch((reason: unknown) => reason)
      expect(isLicensingBridgeError(error), verb).toBe(true)
      const cause = { message: expect.stringContaining(why) }
      expect(error).toMatchObject({ code: 'bridge-silent', cause })
    }
  })

  test('is named once in the console of a page that only subscribes', async () => {
    const { licensing } = await rendererOfWindow(bridgeThatFails(why))
    licensing.subscribe(() => {})
    licensing.subscribe(() => {})
    expect(licensing.getSnapshot()).toBeNull()
    await settled()
    const line = /^\[latchkey\] The main process doesn't answer this window\. Import and call createLicensing/
    expect(logged.mock.calls).toEqual([[expect.stringMatching(line)]])
  })

  test('is left to a page that uses ready', async () => {
    const client = createLicensingClient(bridgeThatFails(why))
    client.subscribe(() => {})
    await expect(client.ready).rejects.toMatchObject({ code: 'bridge-silent' })
    await settled()
    expect(client.getSnapshot()).toBeNull()
    expect(logged).not.toHaveBeenCalled()
  })
})

test.each([
  ['a wrong argument', 'Error: Latchkey refused this message'],
  ['a bug', 'Error: Latchkey could not do this'],
  ['a window that is being closed', 'reply was never sent'],
])('a call that fails because of %s keeps its own error', async (_name, why) => {
  const client = createLicensingClient(bridgeThatFails(why))
  const error = await client.devices().catch((reason: unknown) => reason)
  expect(isLicensingBridgeError(error)).toBe(false)
  expect(error).toMatchObject({ message: expect.stringContaining(why) })
})

describe('a window whose preload script', () => {
  test.each<[string, unknown, string, RegExp]>([
    [
      'exposes no bridge',
      undefined,
      'bridge-missing',
      /exposeLicensing\(\) from '@latchkey\/electron\/preload'.*The main process uses '@latchkey\/electron\/main'/,
    ],
    ['exposes an empty one', {}, 'bridge-version', /Build both again/],
    [
      'is of another version',
      { ...bridgeThatFails(''), devices: undefined },
      'bridge-version',
      /Build both again/,
    ],
  ])(
    '%s may import the renderer; the first use names the missing step',
    async (_what, latchkey, code, message) => {
      const renderer = await rendererOfWindow(latchkey)
      const { licensing } = renderer
      const error = await licensing.ready.catch((reason: unknown) => reason)
      expect(renderer.isLicensingBridgeError(error)).toBe(true)
      expect(error).toMatchObject({ code, message: expect.stringMatching(message) })
      expect(() => licensing.getSnapshot()).toThrow(message)
      expect(() => licensing.subscribe(() => {})).toThrow(message)
      await expect(licensing.activate('key')).rejects.toThrow(message)
    },
  )

  test('is replaced by a fake as window.latchkey says what to replace instead', async () => {
    const { licensing } = await rendererOfWindow(createFakeClient())
    const hint = "replace the module '@latchkey/electron/renderer' instead of setting window.latchkey"
    expect(() => licensing.getSnapshot()).toThrow(hint)
    await expect(licensing.ready).rejects.toThrow(hint)
    await expect(licensing.validate()).rejects.toThrow(hint)
  })

  test('exposes the bridge connects once, however often it is used', async () => {
    const { fake } = makeClient()
    fake.calls.length = 0
    const { licensing } = await rendererOfWindow(fake.bridge)
    const { ready } = licensing
    expect(licensing.ready).toBe(ready)
    await ready
    licensing.subscribe(() => {})
    fake.push(active({ problem: problem('offline') }))
    expect(licensing.getSnapshot()).toEqual(active({ problem: problem('offline') }))
    expect(fake.calls).toEqual(['getState'])
  })

  test('exposes the bridge can call every method of the main process, with its argument', async () => {
    const { fake } = makeClient()
    const { licensing } = await rendererOfWindow(fake.bridge)
    await licensing.ready
    fake.calls.length = 0
    for (const verb of verbs) await Reflect.apply(Reflect.get(licensing, verb), undefined, ['text'])
    expect(fake.calls).toEqual(verbs.map((verb) => `${verb}(text)`))
    expect('getState' in licensing).toBe(false)
  })
})
