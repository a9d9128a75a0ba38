import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openStage, type Stage } from './stage/open-stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
  await stage.page.clock.install()
})
afterAll(() => stage.close())

const tries = async () => (await stage.calls()).filter((call) => call.startsWith('activate('))
const secondsLeft = async () => {
  const text = await stage.page.getByText('Retrying in').first().textContent()
  return Number(/\d+/u.exec(text ?? '')?.[0])
}

describe('a screen without a network', () => {
  beforeEach(async () => {
    await stage.show('no-network')
    expect(await tries()).toHaveLength(1)
  })

  test('counts down to the next retry, and then retries', async () => {
    const first = await secondsLeft()
    await expect.poll(secondsLeft).toBeLessThan(first)
    expect(await tries()).toHaveLength(1)
    await stage.page.clock.runFor(6_000)
    await expect.poll(tries).toHaveLength(2)
  })

  test('that is removed from its page stops retrying', async () => {
    await stage.page.evaluate(() => document.querySelector('latchkey-activation')?.remove())
    await stage.page.clock.runFor(10 * 60_000)
    await stage.page.evaluate(() => {
      window.dispatchEvent(new Event('online'))
      window.dispatchEvent(new Event('focus'))
    })
    await stage.page.clock.runFor(1_000)
    expect(await tries()).toHaveLength(1)
  })

  test('that is put back into its page starts over', async () => {
    await stage.page.evaluate(() => {
      const screen = document.querySelector('latchkey-activation')
      screen?.remove()
      if (screen) document.body.append(screen)
    })
    await stage.page.waitForSelector('latchkey-activation[situation=enter-key]')
    await stage.page.getByRole('textbox', { name: 'License key' }).waitFor()
  })
})
