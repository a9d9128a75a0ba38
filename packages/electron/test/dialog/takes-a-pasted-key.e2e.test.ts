import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStage, type Stage } from './stage/open-stage.ts'
import { licenseKey, maskedKey } from './stage/states.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

const field = () => stage.page.getByRole('textbox', { name: 'License key' })

async function paste(text: string): Promise<void> {
  await stage.electronApp.evaluate(({ clipboard }, copied) => clipboard.writeText(copied), text)
  await field().focus()
  await stage.page.keyboard.press('Control+V')
}

describe('pasting', () => {
  const broken = `${licenseKey.slice(0, 20)}\n${licenseKey.slice(20)}`
  test.for([
    ['the key alone', licenseKey],
    ['spaces and line breaks around it', `  \n\t${licenseKey}\r\n `],
    ['a sentence around it', `Your license key is ${licenseKey}. Thank you!`],
    ['a word right before a line break', `Key code\n${licenseKey}`],
    ['a line break inside', broken],
    ['capital letters', licenseKey.toUpperCase()],
    ['a link', `inkpad://activate?license=${licenseKey}`],
    ['zero-width characters', licenseKey.replaceAll('-', '\u200b-\u200b')],
  ] as const)('%s leaves the key, shown masked for comparison', async ([, text]) => {
    await stage.show('enter-key')
    await paste(text)
    expect(await field().inputValue()).toBe(licenseKey)
    expect(await stage.page.locator('[part=found-key]').textContent()).toContain(`Key found: ${maskedKey}`)
    expect(await stage.calls()).not.toContain(`activate(${licenseKey})`)
  })

  test.for([
    [
      'two different keys',
      `${licenseKey} ${licenseKey.replace('1f0a', '2f0a')}`,
      'more than one license key',
    ],
    ['a whole book', 'word '.repeat(200_000), 'too long to be a license key'],
  ] as const)('%s is refused at the field, which stays as it was', async ([, text, sentence]) => {
    await stage.show('enter-key')
    await paste(text)
    await stage.page.locator('[part=error]').getByText(sentence).waitFor()
    expect(await field().inputValue()).toBe('')
  })

  test('nothing of a key is put in as it is, to be completed by hand', async () => {
    await stage.show('enter-key')
    await paste(licenseKey.slice(0, 18))
    expect(await field().inputValue()).toBe(licenseKey.slice(0, 18))
    await stage.page.keyboard.type(licenseKey.slice(18))
    expect(await stage.page.locator('[part=found-key]').textContent()).toContain(maskedKey)
  })
})

test('a key on the clipboard is offered masked, and used on a click alone', async () => {
  await stage.show('clipboard-offer')
  const offer = stage.page.getByRole('button', { name: `Activate with the copied key ${maskedKey}` })
  await offer.waitFor()
  const asked = (await stage.calls()).filter((call) => call.startsWith('activate'))
  expect(asked).toEqual([])
  await offer.click()
  await expect.poll(() => stage.calls()).toContain(`activateFromClipboard(${maskedKey})`)
  expect(await stage.focused()).toBe('input key')
})

test('a key from a link is filled in, said to be from there, and not activated by itself', async () => {
  await stage.show('enter-key', { prefilled: licenseKey })
  await stage.page.getByText('This key comes from the link you opened.').waitFor()
  expect(await field().inputValue()).toBe(licenseKey)
  expect((await stage.calls()).filter((call) => call.startsWith('activate'))).toEqual([])
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
  const found = await stage.page.evaluate((key) => {
    // Only the played main process may know it.
    window.stage.calls.length = 0
    const places: string[] = []
    const seen = new Set<unknown>()
    const search = (value: unknown, path: string, depth: number): void => {
      if (typeof value === 'string' && value.includes(key)) places.push(path)
      if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return
      if (seen.has(value) || depth > 6) return
      seen.add(value)
      // What is computed on reading is no place to keep something.
      for (const [name, { value: inner }] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
        search(inner, `${path}.${name}`, depth + 1)
      }
    }
    const element = document.querySelector('latchkey-activation')
    search(window, 'window', 0)
    search(element, 'element', 0)
    const inputs = element?.shadowRoot?.querySelectorAll('input') ?? []
    for (const input of inputs) search(input.value, 'input', 0)
    search(document.documentElement.outerHTML, 'html', 0)
    search(element?.shadowRoot?.innerHTML, 'shadow', 0)
    return places
  }, licenseKey)
  expect(found).toEqual([])
})
