import { describe, expect, test } from 'vitest'
import { createAskingSecrets, createFakeSecrets } from '../../doubles/fake-secrets.ts'
import { scene } from '../fixture.ts'

describe('while the keychain is asking the user', () => {
  async function launchedAsking() {
    const keychain = createAskingSecrets()
    const it = await scene({ secrets: keychain.secrets, isActivated: true })
    await it.device.quit()
    keychain.ask()
    expect(await it.device.launch()).toMatchObject({ status: 'unlicensed', problem: null })
    it.asked.length = 0
    return { ...it, ...keychain }
  }

  test('the record is no problem, and is loaded if the user agrees', async () => {
    const { license, device, answer } = await launchedAsking()
    await device.core.validate()
    expect(device.state).toMatchObject({ status: 'unlicensed', problem: null })
    answer()
    await expect.poll(() => device.state).toMatchObject({ status: 'active', problem: null })
    expect(device.states.map(({ problem }) => problem)).not.toContainEqual(expect.anything())
    expect(license.keys).toHaveLength(1)
    expect(device.store.setAsideTexts).toEqual([])
  })

  test('the record becomes a problem if the user refuses', async () => {
    const { device, refuse } = await launchedAsking()
    refuse()
    await expect.poll(() => device.state.problem?.code).toBe('store-undecryptable')
    expect(device.state.status).toBe('unlicensed')
  })

  test('an activation makes the record no problem, whatever the user decides then', async () => {
    const { license, device, refuse } = await launchedAsking()
    expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
    // A newer app is started next to this one.
    device.store.place('newest', '{"version":99}')
    refuse()
    await device.settled()
    expect(device.state).toMatchObject({ status: 'active', problem: null })
  })

  test('what is saved unencrypted is encrypted afterwards', async () => {
    const { license, device, answer } = await launchedAsking()
    await device.core.activate(license.id)
    expect(device.state.storage).toBe('plain')
    answer()
    await expect.poll(() => device.state.storage).toBe('keychain')
  })

  test('an answer after the app quit changes nothing', async () => {
    const { device, asked, answer } = await launchedAsking()
    await device.core.dispose()
    answer()
    await device.settled()
    expect(device.state).toMatchObject({ status: 'unlicensed' })
    expect(asked).toEqual([])
  })

  test('an answer where there is no record causes no request', async () => {
    const { secrets, ask, answer } = createAskingSecrets()
    ask()
    const { device, asked } = await scene({ secrets })
    answer()
    await device.settled()
    expect(device.state).toMatchObject({ status: 'unlicensed', problem: null })
    expect(asked).toEqual([])
  })
})

describe.each(['basic', 'plain'] as const)('a keyring that comes and goes between starts (%s)', (tier) => {
  test.each([
    ['keyring first', ['keychain', tier]],
    ['keyring second', [tier, 'keychain']],
  ] as const)('asks for the key at most once in six changes: %s', async (_what, turns) => {
    const secrets = createFakeSecrets({ tier: turns[0] })
    const { license, device } = await scene({ secrets, isActivated: true })
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
    expect(license.keys).toHaveLength(1)
  })

  test('is used again after the keychain has only got another key', async () => {
    const { license, device } = await scene({ isActivated: true })
    await device.quit()
    device.secrets.keychain = 'a new one'
    await device.launch()
    expect(await device.core.activate(license.id)).toMatchObject({ ok: true, state: { storage: 'keychain' } })
  })
})
