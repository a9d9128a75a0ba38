import { afterEach, beforeEach, describe, expect, type MockInstance, test, vi } from 'vitest'
import {
  createLicensingClient,
  isLicensingBridgeError,
  type LicensingBridge,
} from '../../src/renderer/index.ts'
import { licensingVerbs, refusedWindow } from '../../src/shared/licensing-bridge.ts'
import { createFakeBridge } from '../dialog/stage/fake-bridge.ts'
import { stagedAnswers } from '../dialog/stage/staged-answers.ts'
import { unlicensed } from '../dialog/stage/states.ts'

const verbs = Object.keys(licensingVerbs).filter((verb) => verb !== 'getState')

/** A bridge on which every call fails as `ipcRenderer.invoke` does. */
function bridgeThatFails(why: string): LicensingBridge {
  const { bridge } = createFakeBridge(stagedAnswers(unlicensed()))
  const failing = Object.keys(licensingVerbs).map((verb) => [
    verb,
    () => Promise.reject(new Error(`Error invoking remote method 'latchkey:${verb}': ${why}`)),
  ])
  return { ...bridge, ...Object.fromEntries(failing) }
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))

let logged: MockInstance<typeof console.error>
beforeEach(() => {
  logged = vi.spyOn(console, 'error').mockReturnValue()
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

describe.each([
  ['does not trust the page', `Error: ${refusedWindow}`],
  ['never called createLicensing()', "Error: No handler registered for 'latchkey:devices'"],
])('a main process that %s', (_name, why) => {
  test.each(verbs)('rejects %s with the documented error', async (verb) => {
    const client = createLicensingClient(bridgeThatFails(why))
    const call = async (): Promise<unknown> => Reflect.apply(Reflect.get(client, verb), undefined, ['text'])
    const error = await call().catch((reason: unknown) => reason)
    expect(isLicensingBridgeError(error)).toBe(true)
    expect(error).toMatchObject({ code: 'bridge-silent', cause: { message: expect.stringContaining(why) } })
  })

  test('is named once in the console of a page that only subscribes', async () => {
    const client = createLicensingClient(bridgeThatFails(why))
    client.subscribe(() => {})
    client.subscribe(() => {})
    expect(client.getSnapshot()).toBeNull()
    await settled()
    expect(logged.mock.calls).toEqual([
      [
        expect.stringMatching(
          /^\[latchkey\] The main process doesn't answer this window\. Import and call createLicensing/,
        ),
      ],
    ])
  })

  test('is left to a page that uses ready', async () => {
    const client = createLicensingClient(bridgeThatFails(why))
    client.subscribe(() => {})
    await expect(client.ready).rejects.toMatchObject({ code: 'bridge-silent' })
    await settled()
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

test('a page whose main process answers has nothing in its console', async () => {
  const client = createLicensingClient(createFakeBridge(stagedAnswers(unlicensed())).bridge)
  client.subscribe(() => {})
  await settled()
  expect(client.getSnapshot()).toEqual(unlicensed())
  expect(logged).not.toHaveBeenCalled()
})

test('the licensing of a window explains it as well', async () => {
  vi.resetModules()
  vi.stubGlobal('latchkey', bridgeThatFails(`Error: ${refusedWindow}`))
  const renderer = await import('../../src/renderer/index.ts')
  renderer.licensing.subscribe(() => {})
  const error = await renderer.licensing.copyDiagnosis().catch((reason: unknown) => reason)
  expect(renderer.isLicensingBridgeError(error)).toBe(true)
  await settled()
  expect(logged).toHaveBeenCalledOnce()
})
