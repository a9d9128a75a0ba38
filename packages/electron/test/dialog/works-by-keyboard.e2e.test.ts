import { stringsInPage } from '@latchkey/scripts/e2e/strings-in-page'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStage, type Stage } from './stage/open-stage.ts'
import {
  active,
  grace,
  licenseKey,
  locked,
  maskedKey,
  otherKey,
  problem,
  trial,
  unlicensed,
} from './stage/states.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

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

const field = () => stage.page.getByRole('textbox', { name: 'License key' })

async function paste(text: string): Promise<void> {
  await stage.electronApp.evaluate(({ clipboard }, copied) => clipboard.writeText(copied), text)
  await field().focus()
  await stage.page.keyboard.press('Control+V')
}

describe('pasting', () => {
  test.for([
    ['a sentence around it', `Your license key is ${licenseKey}. Thank you!`],
    ['a link', `inkpad://activate?license=${licenseKey}`],
    ['an order number beside it', `Order number: ${otherKey}\nLicense key: ${licenseKey}\nThank you!`],
    ['zero-width characters', licenseKey.replaceAll('-', '\u200b-\u200b')],
  ] as const)('%s leaves the key alone in the field', async ([, text]) => {
    await stage.show('enter-key')
    await paste(text)
    expect(await field().inputValue()).toBe(licenseKey)
    expect(await stage.page.locator('[part=found-key]').textContent()).toContain('Key found.')
    expect(await stage.calls()).not.toContain(`activate(${licenseKey})`)
  })

  test('a very long text is refused, the field stays unchanged, and Activate still shows the reason', async () => {
    await stage.show('enter-key')
    await paste('word '.repeat(200_000))
    const reason = stage.page.locator('[part=error]').getByText('too long to be a license key')
    await reason.waitFor()
    expect(await field().inputValue()).toBe('')
    await stage.page.getByRole('button', { name: 'Activate' }).click()
    await stage.page.evaluate(() => new Promise(requestAnimationFrame))
    expect(await reason.count()).toBe(1)
    expect(await stage.focused()).toBe('input key')
    expect((await stage.calls()).filter((call) => call.startsWith('activate'))).toEqual([])
  })

  test('of several keys the user chooses one, by masked texts alone', async () => {
    await stage.show('enter-key')
    await paste(`Order ${otherKey}, reference ${licenseKey}`)
    await stage.page.waitForSelector('latchkey-activation[situation=choose-key]')
    const text = await stage.page.evaluate(
      () => document.querySelector('latchkey-activation')?.shadowRoot?.innerHTML ?? '',
    )
    expect(text).not.toContain(licenseKey)
    expect(text).not.toContain(otherKey)
    await stage.page.getByRole('radio', { name: maskedKey }).check()
    await stage.page.getByRole('button', { name: 'Activate' }).click()
    await expect.poll(() => stage.calls()).toContain(`activate(${licenseKey})`)
    // Not known: the list stays, for the other one to be tried.
    await stage.page.getByText('We couldn’t find this license key').first().waitFor()
    await stage.page.getByRole('button', { name: 'Cancel' }).click()
    await stage.page.waitForSelector('latchkey-activation[situation=enter-key]')
  })

  test('a part of a key is inserted unchanged, to be completed by hand', async () => {
    await stage.show('enter-key')
    await paste(licenseKey.slice(0, 18))
    expect(await field().inputValue()).toBe(licenseKey.slice(0, 18))
    await stage.page.keyboard.type(licenseKey.slice(18))
    await stage.page.locator('[part=found-key]').waitFor()
  })
})

test.for([
  ['the license key', 'enter-key', '#key'],
  ['the answer of an activation without internet', 'offline-answer', '#answer'],
] as const)('without a menu, the keys for editing work in the field for %s', async ([, situation, name]) => {
  await stage.electronApp.evaluate(({ Menu }) => Menu.setApplicationMenu(null))
  await stage.show(situation)
  const input = stage.page.locator(name)
  const copied = () => stage.electronApp.evaluate(({ clipboard }) => clipboard.readText())
  const { keyboard } = stage.page
  await stage.electronApp.evaluate(({ clipboard }) => clipboard.writeText('before'))
  await input.focus()
  await keyboard.type('1f0a')
  await keyboard.press('Control+A')
  await keyboard.press('Control+C')
  await expect.poll(copied).toBe('1f0a')
  await keyboard.press('Control+X')
  expect(await input.inputValue()).toBe('')
  await keyboard.press('Control+V')
  await keyboard.press('Control+V')
  expect(await input.inputValue()).toBe('1f0a1f0a')
})

describe('a key on the clipboard', () => {
  const token = () => stage.page.locator('[part=token]')

  test('is shown in the field as a masked token, and used only on a click', async () => {
    await stage.show('clipboard-offer')
    expect(await token().locator('bdi').textContent()).toBe(maskedKey)
    expect(await stage.focused()).toBe('button Activate')
    expect((await stage.calls()).filter((call) => call.startsWith('activate'))).toEqual([])
    await stage.page.keyboard.press('Enter')
    await expect.poll(() => stage.calls()).toContain(`activateFromClipboard(${maskedKey})`)
    // An unknown key is reported in the same place, and the user can type another one.
    await stage.page.locator('[part=error]').waitFor()
    expect(await stage.focused()).toBe('input key')
  })

  test('is replaced by typed or pasted text', async () => {
    await stage.show('clipboard-offer')
    await stage.page.keyboard.type(licenseKey)
    expect(await field().inputValue()).toBe(licenseKey)
    expect(await token().count()).toBe(0)
    await stage.show('clipboard-offer')
    await stage.electronApp.evaluate(({ clipboard }, copied) => clipboard.writeText(copied), otherKey)
    await stage.page.keyboard.press('Control+V')
    await expect.poll(() => field().inputValue()).toBe(otherKey)
    expect(await token().count()).toBe(0)
  })

  test('can be taken away, and does not come back', async () => {
    await stage.show('clipboard-offer')
    await token().getByRole('button').click()
    expect(await token().count()).toBe(0)
    expect(await stage.focused()).toBe('input key')
    await stage.page.getByRole('button', { name: 'Activate' }).focus()
    await field().focus()
    expect(await token().count()).toBe(0)
  })
})

test('a key from a link is filled in with a hint, and not activated automatically', async () => {
  await stage.show('enter-key', { prefilled: licenseKey })
  await stage.page.locator('[part=found-key]').getByText('This key is from the link you opened.').waitFor()
  expect(await field().inputValue()).toBe(licenseKey)
  expect((await stage.calls()).filter((call) => call.startsWith('activate'))).toEqual([])
})

test('a link opened in an activated app says that its key replaces the current license', async () => {
  await stage.show('key-from-a-link')
  const hint = stage.page.locator('[part=found-key]')
  expect(await hint.textContent()).toContain('Activating it replaces your current license.')
  await stage.show('key-from-a-link', { prefilled: licenseKey })
  expect(await hint.textContent()).not.toContain('replaces')
})

test('after an activation the key is nowhere in the page', async () => {
  await stage.show('enter-key')
  await paste(`Your key: ${licenseKey}`)
  await stage.page.evaluate(() => {
    const { answers, push } = window.stage
    answers.activate = async () => {
      push({ ...answers.state, status: 'active', entitled: true })
      return { ok: true, state: answers.state }
    }
  })
  await stage.page.keyboard.press('Enter')
  await stage.page.waitForSelector('latchkey-activation[situation=activated]')
  // Only the played main process may know it.
  await stage.page.evaluate(() => {
    window.stage.calls.length = 0
  })
  expect((await stringsInPage(stage.page)).includes(licenseKey)).toBe(false)
})

test('the focus is never lost, whichever situation follows which', async () => {
  const later = '2050-01-01T00:00:00Z'
  await stage.show('enter-key')
  const ended = ['unverified', 'expired', 'suspended', 'inactive', 'revoked'] as const
  const all = [
    unlicensed(),
    trial(later),
    active(),
    grace({}, later),
    ...ended.map((status) => locked(status)),
  ]
  const lost = await stage.page.evaluate(async (states) => {
    const element = document.querySelector('latchkey-activation')
    const { push } = window.stage
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
  }, all)
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

  await stage.page.evaluate((limited) => {
    const { answers } = window.stage
    answers.activate = async () => ({ ok: false, problem: limited, state: answers.state })
  }, problem('rate-limited'))
  await stage.page.getByRole('button', { name: 'Try now' }).click()
  await stage.page.getByText('Too many requests').first().waitFor()
  await stage.page.evaluate(() => {
    for (const type of ['focus', 'online']) window.dispatchEvent(new Event(type))
  })
  await stage.page.waitForTimeout(50)
  expect(await tries()).toBe(3)
})

test('a key copied in the shop is offered when the buyer comes back, also with the focus on the link to it', async () => {
  await stage.show('enter-key')
  await stage.page.getByRole('button', { name: 'Buy a license' }).focus()
  await stage.page.evaluate(() => {
    window.stage.answers.clipboardKey = async () => ({ maskedKey: '1f0a••••9c1d' })
    window.dispatchEvent(new Event('focus'))
  })
  await stage.page.getByText('1f0a••••9c1d').first().waitFor()
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
