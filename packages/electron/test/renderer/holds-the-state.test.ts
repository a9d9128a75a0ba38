import { describe, expect, test, vi } from 'vitest'
import { createLicensingClient } from '../../src/renderer/licensing-client.ts'
import { createFakeBridge, type FakeAnswers } from '../dialog/stage/fake-bridge.ts'
import { stagedAnswers } from '../dialog/stage/staged-answers.ts'
import { active, problem, unlicensed } from '../dialog/stage/states.ts'

function makeClient(answers: Partial<FakeAnswers> = {}) {
  const fake = createFakeBridge(stagedAnswers(unlicensed(), answers))
  return { fake, client: createLicensingClient(fake.bridge) }
}

describe('the state in a window', () => {
  test('is null until the first one arrives, then the main process’s latest', async () => {
    const { client, fake } = makeClient()
    expect(client.getSnapshot()).toBeNull()
    expect(await client.ready).toEqual(unlicensed())
    expect(client.getSnapshot()).toEqual(unlicensed())
    fake.push(active())
    expect(client.getSnapshot()).toEqual(active())
  })

  test('may be known from the start, and is corrected by the first answer, unless news were faster', async () => {
    const { fake } = makeClient({ state: active() })
    const known = createLicensingClient(fake.bridge, unlicensed())
    expect(known.getSnapshot()).toEqual(unlicensed())
    await known.ready
    expect(known.getSnapshot()).toEqual(active())

    const overtaken = createLicensingClient(fake.bridge, unlicensed())
    fake.push(active({ problem: problem('offline') }))
    fake.answers.state = active()
    await overtaken.ready
    await new Promise((resolve) => setTimeout(resolve))
    expect(overtaken.getSnapshot()).toEqual(active({ problem: problem('offline') }))
  })

  test('is the same object until something changes, though every message is a new one', async () => {
    const { client, fake } = makeClient()
    const first = await client.ready
    fake.push(unlicensed())
    expect(client.getSnapshot()).toBe(first)
    fake.push(unlicensed({ problem: problem('offline') }))
    expect(client.getSnapshot()).not.toBe(first)
  })

  test('says whether a feature may be used, and no before the first state', async () => {
    const { client, fake } = makeClient()
    expect(client.has('export')).toBe(false)
    const { license } = active()
    if (license === null) throw new Error('The staged license is missing')
    fake.push(active({ license: { ...license, features: ['export'] } }))
    expect([client.has('export'), client.has('sync')]).toEqual([true, false])
    const { has } = client
    fake.push(unlicensed({ license: { ...license, features: ['export'] } }))
    expect(has('export')).toBe(false)
  })

  test('can’t be changed by its readers', async () => {
    const { client, fake } = makeClient()
    fake.push(active())
    expect(() => Object.assign(client.getSnapshot()?.license ?? {}, { maskedKey: 'other' })).toThrow(
      TypeError,
    )
  })

  test('is not set back by a first answer that a newer state overtook', async () => {
    const { fake } = makeClient()
    let answer: (state: ReturnType<typeof unlicensed>) => void = () => {}
    const slow = new Promise<ReturnType<typeof unlicensed>>((resolve) => {
      answer = resolve
    })
    const client = createLicensingClient({ ...fake.bridge, getState: () => slow })
    fake.push(active())
    answer(unlicensed())
    expect(await client.ready).toEqual(active())
    expect(client.getSnapshot()).toEqual(active())
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
    vi.unstubAllGlobals()
  })
})

test('without an answer, ready rejects, and nothing is unhandled', async () => {
  const { fake } = makeClient()
  const refusal = new Error('not trusted')
  const client = createLicensingClient({ ...fake.bridge, getState: () => Promise.reject(refusal) })
  await expect(client.ready).rejects.toMatchObject({
    name: 'LicensingBridgeError',
    code: 'bridge-silent',
    cause: refusal,
  })
  expect(client.getSnapshot()).toBeNull()
})

test('every verb reaches the main process with its arguments', async () => {
  const { client, fake } = makeClient()
  await client.ready
  fake.calls.length = 0
  await client.activate('a key')
  await client.reactivate()
  await client.validate()
  await client.cancelActivation()
  await client.deactivate()
  await client.devices()
  await client.releaseDevice('handle-1')
  await client.openActivationWindow()
  await client.closeActivationWindow()
  await client.screen()
  await client.openLink('buy')
  await client.clipboardKey()
  await client.activateFromClipboard('1f0a••••9c1d')
  await client.copyDiagnosis()
  expect(fake.calls).toEqual([
    'activate(a key)',
    'reactivate',
    'validate',
    'cancelActivation',
    'deactivate',
    'devices',
    'releaseDevice(handle-1)',
    'openActivationWindow',
    'closeActivationWindow',
    'screen',
    'openLink(buy)',
    'clipboardKey',
    'activateFromClipboard(1f0a••••9c1d)',
    'copyDiagnosis',
  ])
})
