import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStage, type Stage } from './stage/open-stage.ts'
import { licenseKey } from './stage/states.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

test('the focus is never lost, whichever situation follows which', async () => {
  await stage.show('enter-key')
  const lost = await stage.page.evaluate(async () => {
    const element = document.querySelector('latchkey-activation')
    const { answers, push } = window.stage
    const license = {
      maskedKey: '1f0a••••9c1d',
      activationLimit: 3,
      activationUsage: 2,
      expiresAt: null,
      endsSoon: false,
      plan: null,
      features: [],
    }
    const base = { ...answers.state, license }
    const endsAt = '2050-01-01T00:00:00Z'
    const states: (typeof answers.state)[] = [
      { ...base, status: 'unlicensed', entitled: false, license: null },
      { ...base, status: 'trial', entitled: true, trialEndsAt: endsAt },
      { ...base, status: 'active', entitled: true },
      { ...base, status: 'grace', entitled: true, graceEndsAt: endsAt },
      { ...base, status: 'unverified', entitled: false },
      { ...base, status: 'expired', entitled: false },
      { ...base, status: 'suspended', entitled: false },
      { ...base, status: 'inactive', entitled: false, rawStatus: 'PAUSED' },
      { ...base, status: 'revoked', entitled: false },
    ]
    const found: string[] = []
    for (const from of states) {
      for (const to of states) {
        push(from)
        await element?.updateComplete
        // The last control is the one that is most likely to go away.
        const buttons = element?.shadowRoot?.querySelectorAll<HTMLElement>('button') ?? []
        buttons[buttons.length - 1]?.focus()
        push(to)
        await element?.updateComplete
        if (element?.shadowRoot?.activeElement == null) found.push(`${from.status} to ${to.status}`)
      }
    }
    return found
  })
  expect(lost).toEqual([])
})

describe('a refused key', () => {
  test('focuses the field, with its text selected and its error linked and announced', async () => {
    await stage.show('enter-key')
    const { page } = stage
    const field = page.getByRole('textbox', { name: 'License key' })
    await field.fill(licenseKey)
    await page.getByRole('button', { name: 'Activate' }).click()
    const sentence = 'We couldn’t find this license key. Check that you copied the whole key.'
    await page.getByText(sentence).first().waitFor()
    expect(await stage.focused()).toBe('input key')
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    expect(
      await page.evaluate(() => {
        const root = document.querySelector('latchkey-activation')?.shadowRoot
        const input = root?.querySelector<HTMLInputElement>('#key')
        const description = root?.getElementById(input?.getAttribute('aria-describedby') ?? '')
        return {
          description: description?.textContent?.replace(/\s+/gu, ' ').trim(),
          selected: input?.value.slice(input.selectionStart ?? 0, input.selectionEnd ?? 0),
          told: root?.querySelector('[role=status]')?.textContent,
        }
      }),
    ).toEqual({ description: sentence, selected: licenseKey, told: sentence })
  })

  test('no longer has an error once it is edited', async () => {
    await stage.show('key-not-recognised')
    const { page } = stage
    await page.keyboard.press('End')
    await page.keyboard.press('Backspace')
    expect(await page.locator('[part=error]').count()).toBe(0)
    expect(await page.getByRole('textbox').getAttribute('aria-invalid')).toBe('false')
  })
})

test('an automatic retry moves no focus and announces nothing', async () => {
  await stage.show('no-network')
  const { page } = stage
  await page.getByRole('button', { name: 'Change key' }).focus()
  const told = () => page.locator('[role=status]').textContent()
  const before = await told()
  await page.evaluate(() => window.dispatchEvent(new Event('online')))
  await expect
    .poll(async () => (await stage.calls()).filter((call) => call.startsWith('activate')).length)
    .toBe(2)
  expect(await stage.focused()).toBe('button Change key')
  expect(await told()).toBe(before)
})

test('coming back to the window retries at once, unless the service asked for a pause', async () => {
  const tries = async () => (await stage.calls()).filter((call) => call.startsWith('activate')).length
  await stage.show('captive-portal')
  await stage.page.evaluate(() => window.dispatchEvent(new Event('focus')))
  await expect.poll(tries).toBe(2)

  await stage.page.evaluate(() => {
    const { answers } = window.stage
    answers.activate = async () => ({
      ok: false,
      problem: {
        code: 'rate-limited',
        message: 'Too many requests. Try again later.',
        isRetryable: true,
        occurredAt: '2030-01-01T00:00:00Z',
      },
      state: answers.state,
    })
  })
  await stage.page.getByRole('button', { name: 'Try now' }).click()
  await stage.page.getByText('Too many requests').first().waitFor()
  await stage.page.evaluate(() => {
    for (const type of ['focus', 'online']) window.dispatchEvent(new Event(type))
  })
  await stage.page.waitForTimeout(50)
  expect(await tries()).toBe(3)
})

test('in an app’s own page it takes no focus, and none from elsewhere', async () => {
  await stage.show('enter-key')
  const focused = await stage.page.evaluate(async () => {
    const field = document.createElement('textarea')
    const element = document.createElement('latchkey-activation')
    document.body.replaceChildren(field, element)
    field.focus()
    await new Promise((resolve) => setTimeout(resolve, 100))
    await element.updateComplete
    const { answers, push } = window.stage
    push({ ...answers.state, status: 'active', entitled: true })
    await element.updateComplete
    return document.activeElement === field && element.shadowRoot?.querySelector('h1') !== null
  })
  expect(focused).toBe(true)
})
