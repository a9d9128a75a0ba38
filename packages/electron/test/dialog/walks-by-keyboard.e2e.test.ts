import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStage, type Stage } from './stage/open-stage.ts'
import { situations } from './stage/situations.ts'
import { licenseKey } from './stage/states.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

/** Every control that can be used now, in the order of the page; radio buttons count once. */
function controls(): Promise<string[]> {
  return stage.page.evaluate(() => {
    const root = document.querySelector('latchkey-activation')?.shadowRoot
    const all = [...(root?.querySelectorAll<HTMLElement>('button, input, textarea') ?? [])].filter(
      (element) => element.checkVisibility(),
    )
    const radios = all.filter((element) => element.matches('[type=radio]'))
    return all
      .filter((element) => !radios.includes(element) || element === radios[0])
      .map((element) => element.id || element.ariaLabel || element.textContent?.trim() || 'radio')
  })
}

describe('the Tab key', () => {
  test.for(Object.keys(situations))(
    '%s: reaches every control, in order, and shows where it is',
    async (name) => {
      await stage.show(name)
      expect(await stage.focused()).not.toBeNull()
      const wanted = await controls()
      await stage.page.evaluate(() => {
        const root = document.querySelector('latchkey-activation')?.shadowRoot
        root?.querySelector<HTMLElement>('#heading')?.focus()
      })
      const reached: string[] = []
      for (const _ of wanted) {
        await stage.page.keyboard.press('Tab')
        const at = await stage.page.evaluate(() => {
          const element = document.querySelector('latchkey-activation')?.shadowRoot?.activeElement
          if (!(element instanceof HTMLElement)) return null
          const shown =
            (element instanceof HTMLButtonElement ? null : element.closest('.row, .box')) ?? element
          const { outlineStyle, outlineColor, boxShadow } = getComputedStyle(shown)
          const isOutlined = outlineStyle !== 'none' && outlineColor !== 'rgba(0, 0, 0, 0)'
          return {
            name: element.id || element.ariaLabel || element.textContent?.trim() || 'radio',
            isShown: isOutlined || boxShadow !== 'none',
          }
        })
        expect(at?.isShown, `focus is visible on ${at?.name}`).toBe(true)
        reached.push(at?.name ?? '')
      }
      expect(reached).toEqual(wanted)
    },
  )
})

test('Enter in the field activates', async () => {
  await stage.show('enter-key')
  await stage.page.keyboard.type(licenseKey)
  await stage.page.keyboard.press('Enter')
  await stage.page.waitForSelector('latchkey-activation[situation=key-trouble]')
  expect(await stage.calls()).toContain(`activate(${licenseKey})`)
})

describe('Escape', () => {
  const closings = async (): Promise<number> =>
    (await stage.calls()).filter((call) => call === 'closeActivationWindow').length

  test.for(['enter-key', 'activated', 'no-seat-left', 'checking'])('%s: leaves the screen', async (name) => {
    await stage.show(name)
    await stage.page.keyboard.press('Escape')
    await expect.poll(closings).toBe(1)
  })

  test('works when the focus is nowhere, too', async () => {
    await stage.show('enter-key')
    await stage.page.evaluate(() => {
      const focused = document.activeElement?.shadowRoot?.activeElement
      if (focused instanceof HTMLElement) focused.blur()
    })
    await stage.page.keyboard.press('Escape')
    await expect.poll(closings).toBe(1)
  })

  test('goes back from a question before it leaves', async () => {
    await stage.show('deactivate-question')
    await stage.page.keyboard.press('Escape')
    await stage.page.waitForSelector('latchkey-activation[situation=activated]')
    expect(await closings()).toBe(0)
    await stage.page.keyboard.press('Escape')
    await expect.poll(closings).toBe(1)
  })
})

test('a released device is activated again with two keys', async () => {
  await stage.show('moved-to-another-device')
  expect(await stage.focused()).toBe('h1 heading')
  await stage.page.evaluate(() => {
    const { answers, push } = window.stage
    answers.reactivate = async () => {
      push({ ...answers.state, problem: null, status: 'active', entitled: true })
      return { ok: true, state: answers.state }
    }
  })
  await stage.page.keyboard.press('Tab')
  await stage.page.keyboard.press('Enter')
  await stage.page.getByRole('heading', { name: 'Inkpad is activated' }).waitFor()
  expect(await stage.focused()).toBe('button Continue')
})

test('a seat is freed and taken with the keyboard alone', async () => {
  await stage.show('enter-key')
  await stage.page.evaluate(() => {
    const { answers, push } = window.stage
    const devices = [
      { id: 'one', label: 'Old ThinkPad', activatedAt: '2028-02-03T10:00:00Z', isThisDevice: false },
      { id: 'two', label: 'Anna’s iMac', activatedAt: '2029-11-20T10:00:00Z', isThisDevice: false },
    ]
    answers.devices = async () => ({ ok: true, devices })
    answers.activate = async () => ({
      ok: false,
      problem: { code: 'no-seat-left', message: '', isRetryable: false, occurredAt: '2030-01-01T00:00:00Z' },
      state: answers.state,
    })
    answers.releaseDevice = async () => {
      answers.activate = async () => {
        push({
          ...answers.state,
          status: 'active',
          entitled: true,
          license: {
            maskedKey: '1f0a••••9c1d',
            activationLimit: 2,
            activationUsage: 2,
            expiresAt: null,
            endsSoon: false,
            plan: null,
            features: [],
          },
        })
        return { ok: true, state: answers.state }
      }
      return { ok: true }
    }
  })
  const { keyboard } = stage.page
  await keyboard.type(licenseKey)
  await keyboard.press('Enter')
  await stage.page.getByText('Anna’s iMac').waitFor()
  expect(await stage.focused()).toBe('h1 heading')

  // Sent without a choice, it asks for one and goes where it is made.
  await keyboard.press('Tab')
  await keyboard.press('Tab')
  await keyboard.press('Tab')
  await keyboard.press('Enter')
  await stage.page.getByText('Choose the device to release.').first().waitFor()
  expect(await stage.focused()).toBe('input')

  await keyboard.press('ArrowDown')
  await keyboard.press('Enter')
  await stage.page.getByRole('heading', { name: 'Inkpad is activated' }).waitFor()
  expect(await stage.focused()).toBe('button Continue')
  expect((await stage.calls()).filter((call) => /activate\(|release/.test(call))).toEqual([
    `activate(${licenseKey})`,
    'releaseDevice(two)',
    `activate(${licenseKey})`,
  ])
})
