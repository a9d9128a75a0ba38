import type { ConsoleMessage, Locator } from 'playwright'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openStage, type Stage } from './stage/open-stage.ts'
import { devices, license, licenseKey, problem } from './stage/states.ts'

declare global {
  interface Window {
    /** What a screen reader would have said, in order. */
    said: string[]
  }
}

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

test('texts with markup are shown as text', async () => {
  const title = '<img src=x onerror="document.title=1">'
  await stage.show('enter-key', { title })
  const heading = stage.page.getByRole('heading', { level: 1 })
  expect(await heading.textContent()).toBe(`Activate ${title}`)
  expect(await stage.page.locator('img').count()).toBe(0)
})

test('the name of a device reads as it was written, whichever way the language is written', async () => {
  await stage.show('devices-unavailable', { locale: 'ar' })
  await stage.page.evaluate(() => {
    window.stage.answers.devices = async () => {
      const device = { activatedAt: '2029-11-20T10:00:00Z', isThisDevice: false }
      return {
        ok: true,
        devices: ['Studio (2)', '2. Mac!', 'جهاز (2)'].map((label) => ({ ...device, id: label, label })),
      }
    }
  })
  await stage.page.locator('[data-action=loadDevices]').click()
  await stage.page.locator('[part=device]').first().waitFor()
  const read = await stage.page.locator('.row b').evaluateAll((names) =>
    names.map((name) => {
      const text = document.createTreeWalker(name, NodeFilter.SHOW_TEXT)
      const placed: { letter: string; left: number }[] = []
      while (text.nextNode()) {
        const node = text.currentNode
        for (let i = 0; i < (node.textContent?.length ?? 0); i += 1) {
          const range = document.createRange()
          range.setStart(node, i)
          range.setEnd(node, i + 1)
          placed.push({ letter: node.textContent?.[i] ?? '', left: range.getBoundingClientRect().left })
        }
      }
      return placed
        .sort((one, other) => one.left - other.left)
        .map(({ letter }) => letter)
        .join('')
        .trim()
    }),
  )
  // From left to right; of the last one, what an Arab reads from right to left.
  expect(read).toEqual(['Studio (2)', '2. Mac!', ')2( زاهج'])
})

test('a logo that isn’t an image is replaced by a drawn one', async () => {
  await stage.show('enter-key', { logo: 'data:image/png;base64,bm90IGFuIGltYWdl' })
  await stage.page.locator('span[part=logo]').waitFor()
  await stage.show('enter-key', {
    logo: "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>",
  })
  expect(await stage.page.locator('svg[part=logo]').count()).toBe(1)
})

test('a gray logo is lit by the accent, and one with a color by itself', async () => {
  const square = (fill: string): string =>
    `data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'><path fill='${fill}' d='M0 0h8v8H0z'/></svg>`
  await stage.show('enter-key', { logo: square('black') })
  await stage.page.locator('span.glow').waitFor()
  await stage.show('enter-key', { logo: square('teal') })
  expect(await stage.page.locator('svg.glow').count()).toBe(1)
})

describe('an accent', () => {
  test.for([
    ['#ffd43b', 'rgb(255, 212, 59)', 'rgb(0, 0, 0)'],
    ['darkgreen', 'rgb(0, 100, 0)', 'rgb(255, 255, 255)'],
    ['hsl(330 80% 45%)', 'rgb(207, 23, 115)', 'rgb(255, 255, 255)'],
    ['not a color', 'rgb(61, 90, 241)', 'rgb(255, 255, 255)'],
    ['url(https://example.com/x)', 'rgb(61, 90, 241)', 'rgb(255, 255, 255)'],
    ['transparent', 'rgb(61, 90, 241)', 'rgb(255, 255, 255)'],
  ] as const)('%s', async ([accent, fill, text]) => {
    const warnings: string[] = []
    const keep = (message: ConsoleMessage): void => void warnings.push(message.text())
    stage.page.on('console', keep)
    onTestFinished(() => void stage.page.off('console', keep))
    await stage.show('enter-key', { accent })
    const isRefused = fill === 'rgb(61, 90, 241)'
    const wanted = expect.stringMatching(/^\[latchkey\] The accent ".+" isn't an opaque CSS color/u)
    expect(warnings).toEqual(isRefused ? [wanted] : [])
    const style = await stage.page.getByRole('button', { name: 'Activate' }).evaluate((button) => {
      const { backgroundColor, color } = getComputedStyle(button)
      return { backgroundColor, color }
    })
    expect(style).toEqual({ backgroundColor: fill, color: text })
  })
})

test('in an app’s own page, attributes and properties come before what the main process says', async () => {
  await stage.show('enter-key')
  await stage.page.evaluate(() => {
    const element = document.createElement('latchkey-activation')
    element.setAttribute('app-title', 'Quill')
    element.setAttribute('locale', 'fr')
    element.setAttribute('links', 'support nonsense')
    element.setAttribute('theme', 'dark')
    element.strings = { activate: 'Ouvrir {app}' }
    document.body.replaceChildren(element)
  })
  const { page } = stage
  await page.getByRole('heading', { name: 'Activer Quill' }).waitFor()
  await page.getByRole('button', { name: 'Ouvrir Quill' }).waitFor()
  expect(await page.locator('footer > button').allTextContents()).toEqual(['Aide'])
  const background = await page
    .locator('latchkey-activation')
    .evaluate((element) => getComputedStyle(element).backgroundColor)
  expect(background).toBe('rgb(30, 30, 33)')

  // Later changes show as well.
  await page.locator('latchkey-activation').evaluate((element) => element.setAttribute('locale', 'ja'))
  await page.getByRole('heading', { name: 'Quillのライセンス認証' }).waitFor()
})

describe('in an app’s own page, the element is as wide as its room in', () => {
  const column = 'display: flex; flex-direction: column; align-items: center'
  const row = 'display: flex; align-items: center; justify-content: center'
  test.for([
    // Page style, the style of an element around it, and the element's width in a page of 600 pixels.
    ['a block', '', null, 600],
    ['a column that centers', column, null, 600],
    ['a row that centers', row, null, 600],
    ['a grid that centers', 'display: grid; place-items: center', null, 600],
    // The style of the generator's React template.
    ['a centered column as wide as its content', row, column, 464],
    ['an element that floats', '', 'float: left', 464],
    ['a row beside a list of 200 pixels', 'display: flex; padding-left: 200px', null, 400],
    ['a block, with a margin and padding of its own', '', '', 560],
  ] as const)('%s', async ([, page, around, width], { expect }) => {
    await stage.show('enter-key')
    await stage.resize(600, 500)
    const measure = ([style, inner]: readonly [string, string | null]) => {
      const element = document.createElement('latchkey-activation')
      if (inner === '') element.style.cssText = 'margin: 20px; padding: 10px'
      const parent = document.createElement('div')
      parent.style.cssText = inner ?? ''
      parent.append(element)
      document.body.style.cssText = style
      document.body.replaceChildren(inner === null ? element : parent)
      const { scrollWidth } = document.documentElement
      return { width: element.getBoundingClientRect().width, scrollWidth }
    }
    expect(await stage.page.evaluate(measure, [page, around] as const)).toEqual({ width, scrollWidth: 600 })
    await stage.resize(380, 500)
    await expect
      .poll(async () => (await stage.page.evaluate(measure, [page, around] as const)).scrollWidth)
      .toBe(380)
  })
})

test('an app may keep its window open: the event that ends the screen can be prevented', async () => {
  await stage.show('activated')
  await stage.page.evaluate(() => {
    document.addEventListener('latchkey-dismiss', (event) => event.preventDefault())
  })
  await stage.page.getByRole('button', { name: 'Continue' }).click()
  expect(await stage.calls()).not.toContain('closeActivationWindow')
})

test('every visible piece can be styled from outside, by ::part and by custom properties', async () => {
  const parts: Readonly<Record<string, string>> = {
    'enter-key':
      'card header emblem logo heading body form label field hint button primary-button footer link menu',
    'clipboard-offer': 'token',
    checking: 'found-key spinner',
    'key-not-recognised': 'error',
    'no-network': 'badge lead buttons status',
    'no-seat-left': 'devices device',
    activated: 'details detail',
    'not-saved': 'notice',
    misconfigured: 'code',
  }
  for (const [situation, names] of Object.entries(parts)) {
    await stage.show(situation)
    for (const part of names.split(' ')) {
      const styled = await stage.page.evaluate((name) => {
        const sheet = new CSSStyleSheet()
        sheet.replaceSync(`latchkey-activation::part(${name}) { outline: 3px solid rgb(1, 2, 3) }`)
        document.adoptedStyleSheets.push(sheet)
        const element = document
          .querySelector('latchkey-activation')
          ?.shadowRoot?.querySelector(`[part~=${name}]`)
        return element === null || element === undefined ? null : getComputedStyle(element).outlineColor
      }, part)
      expect(styled, `${part} in ${situation}`).toBe('rgb(1, 2, 3)')
    }
  }
  await stage.show('enter-key')
  const radius = await stage.page.locator('latchkey-activation').evaluate((element: HTMLElement) => {
    element.style.setProperty('--latchkey-radius', '3px')
    const field = element.shadowRoot?.querySelector('[part=field]')
    return field == null ? '' : getComputedStyle(field).borderTopLeftRadius
  })
  expect(radius).toBe('3px')
})

test('links are opened by the main process alone', async () => {
  await stage.show('no-seat-left')
  await stage.page.getByRole('button', { name: 'Buy more seats' }).click()
  await stage.page.getByRole('button', { name: 'Help', exact: true }).click()
  await stage.page.getByRole('button', { name: 'Get help' }).click()
  expect((await stage.calls()).filter((call) => call.startsWith('openLink'))).toEqual([
    'openLink(buy)',
    'openLink(support)',
  ])
  expect(await stage.page.locator('a, iframe, form[action]').count()).toBe(0)
})

test('details for support are copied by the main process, and the screen confirms it', async () => {
  await stage.show('no-network')
  await stage.page.getByRole('button', { name: 'Help', exact: true }).click()
  await stage.page.getByRole('button', { name: 'Copy details for support' }).click()
  await stage.page.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await stage.calls()).toContain('copyDiagnosis')
  expect(await stage.page.locator('[role=status]').textContent()).toBe('Copied')
})

test('dropping a file beside the field has no effect', async () => {
  await stage.show('enter-key')
  const isPrevented = await stage.page.evaluate(() => {
    const dropped = new DragEvent('drop', {
      bubbles: true,
      cancelable: true,
      dataTransfer: new DataTransfer(),
    })
    document.body.dispatchEvent(dropped)
    return dropped.defaultPrevented
  })
  expect(isPrevented).toBe(true)
})

test('in high contrast every control has an edge, and the focus is seen', async () => {
  for (const name of ['enter-key', 'no-seat-left', 'activated']) {
    await stage.show(name)
    await stage.page.emulateMedia({ forcedColors: 'active' })
    const edges = await stage.page.evaluate(() => {
      const root = document.querySelector('latchkey-activation')?.shadowRoot
      const controls = [...(root?.querySelectorAll<HTMLElement>('button, input[type=text]') ?? [])]
      const visible = controls.filter((control) => control.checkVisibility())
      return visible.map((control) => {
        // The field is a box around its input.
        const shown = control.closest('.box') ?? control
        const { borderTopStyle, borderTopWidth, borderTopColor, backgroundColor } = getComputedStyle(shown)
        control.focus()
        const { outlineStyle, outlineColor } = getComputedStyle(shown)
        return {
          hasEdge:
            borderTopStyle === 'solid' && borderTopWidth !== '0px' && borderTopColor !== backgroundColor,
          isFocusSeen: outlineStyle === 'solid' && outlineColor !== backgroundColor,
        }
      })
    })
    expect(edges.length).toBeGreaterThan(1)
    for (const edge of edges) expect(edge, name).toEqual({ hasEdge: true, isFocusSeen: true })
  }
  await stage.page.emulateMedia({ forcedColors: 'none' })
})

test('nothing moves if the user prefers reduced motion', async () => {
  await stage.show('activated')
  const moving = await stage.page.evaluate(() => {
    const root = document.querySelector('latchkey-activation')?.shadowRoot
    return root?.getAnimations().length
  })
  expect(moving).toBe(0)
})

/** The contrast between the lightest and the darkest pixel of a button, inside its rounded border. */
async function contrastIn(button: Locator): Promise<number> {
  const frames = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  await stage.page.evaluate(frames)
  const { x, y, width, height } = (await button.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
  // A screenshot of Playwright takes the pointer away.
  const image = await stage.electronApp.evaluate(
    async ({ BrowserWindow }, part) =>
      (await BrowserWindow.getAllWindows()[0]?.webContents.capturePage(part))?.toDataURL() ?? '',
    { x: Math.round(x), y: Math.round(y), width: Math.round(width), height: Math.round(height) },
  )
  // A gradient changes the background, and axe can't judge a text on one.
  return stage.page.evaluate(async (source) => {
    const picture = new Image()
    picture.src = source
    await picture.decode()
    const inset = 9
    const [width, height] = [picture.width - 2 * inset, picture.height - 2 * inset]
    const canvas = new OffscreenCanvas(width, height).getContext('2d')
    canvas?.drawImage(picture, -inset, -inset)
    const { data } = canvas?.getImageData(0, 0, width, height) ?? { data: [] }
    const luminances: number[] = []
    for (let at = 0; at < data.length; at += 4) {
      const [red = 0, green = 0, blue = 0] = [...data.slice(at, at + 3)].map((value) => {
        const part = value / 255
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
      })
      luminances.push(0.2126 * red + 0.7152 * green + 0.0722 * blue)
    }
    luminances.sort((one, other) => one - other)
    return ((luminances.at(-1) ?? 0) + 0.05) / ((luminances[0] ?? 0) + 0.05)
  }, image)
}

test.for(
  (['light', 'dark'] as const).flatMap((theme) =>
    ['enter-key', 'activated', 'deactivate-question'].map((name) => [theme, name] as const),
  ),
)(
  '%s, %s: the label of a button is readable under the pointer and while it is pressed',
  async ([theme, name]) => {
    await stage.show(name, { theme })
    const { page } = stage
    const buttons = await page.locator('.actions button').all()
    expect(buttons.length).toBeGreaterThan(0)
    for (const button of buttons) {
      const label = (await button.textContent())?.trim()
      await button.hover()
      expect(await contrastIn(button), `${label}, under the pointer`).toBeGreaterThan(4.5)
      await page.mouse.down()
      expect(await contrastIn(button), `${label}, pressed`).toBeGreaterThan(4.5)
      // Released elsewhere, it isn't clicked.
      await page.mouse.move(0, 0)
      await page.mouse.up()
    }
  },
)

test('the way from a full license to an activated device is announced step by step', async () => {
  await stage.show('enter-key')
  const { page } = stage
  await page.evaluate(
    ({ license, devices, refused }) => {
      const { answers, push } = window.stage
      const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50))
      answers.devices = async () => ({ ok: true, devices })
      answers.activate = async () => {
        await soon()
        return { ok: false, problem: refused, state: answers.state }
      }
      answers.releaseDevice = async () => {
        answers.activate = async () => {
          await soon()
          push({ ...answers.state, status: 'active', entitled: true, license })
          return { ok: true, state: answers.state }
        }
        return { ok: true }
      }
      // What a screen reader announces: the region's text, and the name of the focused element.
      const root = document.querySelector('latchkey-activation')?.shadowRoot
      const region = root?.querySelector('#announcement')
      window.said = []
      if (region) {
        new MutationObserver(() => window.said.push(region.textContent ?? '')).observe(region, {
          childList: true,
          characterData: true,
          subtree: true,
        })
      }
      root?.addEventListener('focusin', ({ target }) => {
        if (!(target instanceof HTMLElement)) return
        const label =
          target instanceof HTMLInputElement ? target.labels?.[0]?.textContent : target.textContent
        window.said.push(`[${target.localName}] ${label?.trim().replace(/\s+/gu, ' ')}`)
      })
    },
    { license, devices: devices.slice(0, 1), refused: problem('no-seat-left') },
  )
  await page.keyboard.type(licenseKey)
  await page.keyboard.press('Enter')
  await page.getByText('Old ThinkPad').waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Inkpad is activated' }).waitFor()
  expect(await page.evaluate(() => window.said)).toMatchInlineSnapshot(`
    [
      "Key found.",
      "Checking…",
      "[h1] No seats left",
      "Release a device to activate Inkpad on this one.",
      "[input] Old ThinkPadActivated on February 3, 2028",
      "[button] Check again",
      "[button] Release and activate here",
      "One moment…",
      "Inkpad is activated You’re all set, even offline.",
    ]
  `)
})

test('the screen without a free seat reads like this', async () => {
  await stage.show('no-seat-left')
  expect(await stage.page.locator('main').ariaSnapshot()).toMatchInlineSnapshot(`
    "- main:
      - region "No seats left":
        - heading "No seats left" [level=1]
        - paragraph: Release a device to activate Inkpad on this one.
        - group "Devices using this license":
          - text: Devices using this license
          - radio "Old ThinkPad Activated on February 3, 2028 · Oldest activation"
          - text: Old ThinkPad Activated on February 3, 2028 · Oldest activation
          - radio "Anna’s iMac Activated on November 20, 2029"
          - text: Anna’s iMac Activated on November 20, 2029
          - radio "build-server-eu-west-1.example.net Activated on May 1, 2030"
          - text: build-server-eu-west-1.example.net Activated on May 1, 2030
        - paragraph:
          - text: 3 of 3 seats in use
          - button "Check again"
        - button "Release and activate here"
        - button "Help"
        - button "Use another key"
        - button "Buy more seats"
        - status: Release a device to activate Inkpad on this one."
  `)
})
