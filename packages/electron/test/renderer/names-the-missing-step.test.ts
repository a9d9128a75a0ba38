import { afterEach, describe, expect, test, vi } from 'vitest'
import { licensingVerbs } from '../../src/shared/licensing-bridge.ts'
import { createFakeClient } from '../../src/testing/index.ts'
import { createFakeBridge } from '../dialog/stage/fake-bridge.ts'
import { stagedAnswers } from '../dialog/stage/staged-answers.ts'
import { active, unlicensed } from '../dialog/stage/states.ts'

// The module connects once per window: each test gets a window of its own.
async function licensingOfWindow(latchkey: unknown) {
  vi.resetModules()
  vi.stubGlobal('latchkey', latchkey)
  return import('../../src/renderer/index.ts')
}

afterEach(() => {
  vi.unstubAllGlobals()
})

describe('a window whose preload script exposes no bridge', () => {
  test('may import the renderer; the first use names the preload step', async () => {
    const { licensing, isLicensingBridgeError } = await licensingOfWindow(undefined)
    const error = await licensing.ready.catch((reason: unknown) => reason)
    expect(isLicensingBridgeError(error)).toBe(true)
    expect(error).toMatchObject({
      code: 'bridge-missing',
      message: expect.stringMatching(/exposeLicensing\(\) from '@latchkey\/electron\/preload'/),
    })
    expect(() => licensing.getSnapshot()).toThrow(/exposeLicensing/)
    expect(() => licensing.getSnapshot()).toThrow(/The main process uses '@latchkey\/electron\/main'/)
    expect(() => licensing.subscribe(() => {})).toThrow(/exposeLicensing/)
    await expect(licensing.activate('key')).rejects.toThrow(/exposeLicensing/)
  })
})

describe('a window whose preload script has another version', () => {
  const { bridge } = createFakeBridge(stagedAnswers(unlicensed()))
  test.for([
    ['lacks one function', { ...bridge, devices: undefined }],
    ['has none', {}],
  ] as const)('%s: it is told to build both again', async ([, latchkey]) => {
    const { licensing } = await licensingOfWindow(latchkey)
    await expect(licensing.ready).rejects.toMatchObject({
      code: 'bridge-version',
      message: expect.stringMatching(/Build both again/),
    })
  })
})

test('a test that sets window.latchkey to a fake learns what to replace instead', async () => {
  const { licensing } = await licensingOfWindow(createFakeClient())
  const hint = "replace the module '@latchkey/electron/renderer' instead of setting window.latchkey"
  expect(() => licensing.getSnapshot()).toThrow(hint)
  await expect(licensing.ready).rejects.toThrow(hint)
  await expect(licensing.validate()).rejects.toThrow(hint)
})

test('a window with a bridge connects once, however often it is used', async () => {
  const fake = createFakeBridge(stagedAnswers(unlicensed()))
  const { licensing } = await licensingOfWindow(fake.bridge)
  const { ready } = licensing
  expect(licensing.ready).toBe(ready)
  await ready
  await licensing.ready
  licensing.subscribe(() => {})
  fake.push(active())
  expect(licensing.getSnapshot()).toEqual(active())
  expect(fake.calls).toEqual(['getState'])
})

test('every method of the main process can be called in a window, with its argument', async () => {
  const { bridge } = createFakeBridge(stagedAnswers(unlicensed()))
  const received: string[] = []
  const verbs = Object.keys(licensingVerbs).filter((verb) => verb !== 'getState')
  const recording = Object.fromEntries(
    verbs.map((verb) => [verb, async (given: unknown) => void received.push(`${verb} ${given}`)]),
  )
  const { licensing } = await licensingOfWindow({ ...bridge, ...recording })
  for (const verb of verbs) await Reflect.apply(Reflect.get(licensing, verb), undefined, ['text'])
  expect(received).toEqual(verbs.map((verb) => `${verb} text`))
  expect('getState' in licensing).toBe(false)
})
