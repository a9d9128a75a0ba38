import type { Locator } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStage, type Stage } from './stage/open-stage.ts'

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
  await page.evaluate(() => {
    const { answers, push } = window.stage
    const license = {
      maskedKey: '1f0a••••9c1d',
      activationLimit: 1,
      activationUsage: 1,
      expiresAt: null,
      endsSoon: false,
      plan: null,
      features: [],
    }
    const devices = [
      { id: 'one', label: 'Old ThinkPad', activatedAt: '2028-02-03T10:00:00Z', isThisDevice: false },
    ]
    const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50))
    answers.devices = async () => ({ ok: true, devices })
    answers.activate = async () => {
      await soon()
      const occurredAt = '2030-01-01T00:00:00Z'
      return {
        ok: false,
        problem: { code: 'no-seat-left', message: '', isRetryable: false, occurredAt },
        state: answers.state,
      }
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
      const label = target instanceof HTMLInputElement ? target.labels?.[0]?.textContent : target.textContent
      window.said.push(`[${target.localName}] ${label?.trim().replace(/\s+/gu, ' ')}`)
    })
  })
  await page.keyboard.type('1f0a6f52-7c3e-4b7d-9a51-3d2e8b4f9c1d')
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
