import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAskingSecrets, createFakeSecrets, type FakeSecrets } from '../../doubles/fake-secrets.ts'
import { createTestDevice, startTestService, type TestDevice, type TestService } from '../fixture.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.emulator.close())

/** A device whose keychain asks the user. The launch continues without it, and the test decides when it answers. */
function deviceThatAsks(): { device: TestDevice; secrets: FakeSecrets; answer: () => void } {
  const listeners = new Set<() => void>()
  const secrets: FakeSecrets = {
    ...createFakeSecrets(),
    onAnswer(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  const answer = (): void => {
    secrets.locked = false
    for (const listener of listeners) listener()
  }
  return { device: createTestDevice(service, { secrets }), secrets, answer }
}

test('a record that opens after the launch is loaded automatically', async () => {
  const license = service.newLicense()
  const { device, secrets, answer } = deviceThatAsks()
  await device.core.activate(license.id)
  await device.quit()
  secrets.locked = true
  expect(await device.launch()).toMatchObject({
    status: 'unlicensed',
    problem: { code: 'store-undecryptable' },
  })
  answer()
  await expect.poll(() => device.state).toMatchObject({ status: 'active', entitled: true, problem: null })
  expect(service.seats(license.id)).toHaveLength(1)
  expect(device.store.setAsideTexts).toEqual([])
})

describe('while the keychain is asking the user', () => {
  async function launchedAsking() {
    const { secrets, ask, answer, refuse } = createAskingSecrets()
    const device = createTestDevice(service, { secrets })
    await device.core.activate(service.newLicense().id)
    await device.quit()
    ask()
    expect(await device.launch()).toMatchObject({ status: 'unlicensed', problem: null })
    return { device, answer, refuse }
  }

  test('the record is no problem, and is loaded if the user agrees', async () => {
    const { device, answer } = await launchedAsking()
    await device.core.validate()
    expect(device.state).toMatchObject({ status: 'unlicensed', problem: null })
    answer()
    await expect.poll(() => device.state).toMatchObject({ status: 'active', problem: null })
    expect(device.states.map(({ problem }) => problem)).not.toContainEqual(expect.anything())
  })

  test('the record becomes a problem if the user refuses', async () => {
    const { device, refuse } = await launchedAsking()
    refuse()
    await expect.poll(() => device.state.problem?.code).toBe('store-undecryptable')
    expect(device.state.status).toBe('unlicensed')
  })

  test('an activation makes the record no problem, whatever the user decides then', async () => {
    const { device, refuse } = await launchedAsking()
    expect(await device.core.activate(service.newLicense().id)).toMatchObject({ ok: true })
    // A newer app is started next to this one.
    device.store.place('newest', '{"version":99}')
    refuse()
    await device.settled()
    expect(device.state).toMatchObject({ status: 'active', problem: null })
  })
})

test('data saved unencrypted during the keychain prompt is encrypted afterwards', async () => {
  const license = service.newLicense()
  const { device, secrets, answer } = deviceThatAsks()
  await device.launch()
  secrets.tier = 'plain'
  await device.core.activate(license.id)
  expect(device.state.storage).toBe('plain')
  secrets.tier = 'keychain'
  answer()
  await expect.poll(() => device.state.storage).toBe('keychain')
})

test('a keychain that responds after the app quit changes nothing', async () => {
  const license = service.newLicense()
  const { device, secrets, answer } = deviceThatAsks()
  await device.core.activate(license.id)
  await device.quit()
  secrets.locked = true
  await device.launch()
  await device.core.dispose()
  const asked = service.asked(license.id).length
  answer()
  await device.settled()
  expect(device.state).toMatchObject({ status: 'unlicensed' })
  expect(service.asked(license.id)).toHaveLength(asked)
})

test('a keychain that responds without a record causes no request', async () => {
  const { device, answer } = deviceThatAsks()
  await device.launch()
  const asked = service.emulator.control.requests().length
  answer()
  await device.settled()
  expect(device.state).toMatchObject({ status: 'unlicensed', problem: null })
  expect(service.emulator.control.requests()).toHaveLength(asked)
})

describe.each(['basic', 'plain'] as const)('a keyring that comes and goes between starts (%s)', (tier) => {
  test.each([
    ['keyring first', ['keychain', tier]],
    ['keyring second', [tier, 'keychain']],
  ] as const)('asks for the key at most once in six changes: %s', async (_what, turns) => {
    const license = service.newLicense()
    const device = createTestDevice(service, { secrets: createFakeSecrets({ tier: turns[0] }) })
    await device.core.activate(license.id)
    let prompts = 0
    for (let change = 1; change <= 6; change += 1) {
      await device.quit()
      device.secrets.tier = turns[change % 2] ?? tier
      // What was sealed without the keyring opens with it.
      device.secrets.locked = device.secrets.tier !== 'keychain'
      if ((await device.launch()).status === 'active') continue
      prompts += 1
      expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
    }
    expect(prompts).toBe(1)
    expect(device.state.storage).toBe('plain')
    expect(service.seats(license.id)).toHaveLength(1)
  })

  test('is used again after the keychain has only got another key', async () => {
    const license = service.newLicense()
    const device = createTestDevice(service)
    await device.core.activate(license.id)
    await device.quit()
    device.secrets.keychain = 'a new one'
    await device.launch()
    expect(await device.core.activate(license.id)).toMatchObject({ ok: true, state: { storage: 'keychain' } })
  })
})
