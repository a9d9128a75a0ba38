import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { languages } from '../../src/texts/load-strings.ts'
import { openStage, type Stage } from './stage/open-stage.ts'
import { situations } from './stage/situations.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
  await stage.page.clock.install()
})
afterAll(() => stage.close())

const actions = '.actions [data-action]'
const withHint = `${actions}, .slot [data-action]`

/** Returns where each of these buttons is, and how high the page is, by language. */
function places(selector: string): Promise<Readonly<Record<string, string>>> {
  return stage.page.evaluate(
    async ([locales, wanted]) => {
      const element = document.querySelector('latchkey-activation')
      const root = element?.shadowRoot
      if (element == null || root == null) return {}
      const found: Record<string, string> = {}
      for (const locale of locales) {
        element.locale = locale
        while (root.querySelector('section')?.lang !== locale) {
          await new Promise((resolve) => setTimeout(resolve, 5))
        }
        await element.updateComplete
        found[`${locale}: page`] = String(document.documentElement.offsetHeight)
        for (const button of root.querySelectorAll<HTMLElement>(wanted)) {
          const { left, top, width, height } = button.getBoundingClientRect()
          found[`${locale}: ${button.dataset['action']}`] = `${left}, ${top}: ${width} x ${height}`
        }
      }
      return found
    },
    [languages, selector] as const,
  )
}

/** What the buttons do that work now, without *Help*. */
function enabled(): Promise<readonly string[]> {
  return stage.page.evaluate(() => {
    const root = document.querySelector('latchkey-activation')?.shadowRoot
    const buttons = root?.querySelectorAll<HTMLElement>('[data-action]:not([aria-disabled=true])') ?? []
    return Array.from(buttons).flatMap((button) =>
      button.closest('.menu, footer > span') === null ? [button.dataset['action'] ?? ''] : [],
    )
  })
}

/** Clicks a button that asks the main process, which never answers. */
async function press(action: string): Promise<void> {
  await stage.page.evaluate((pressed) => {
    const { answers } = window.stage
    const never = (): Promise<never> => new Promise(() => {})
    for (const [verb, answer] of Object.entries(answers)) {
      if (typeof answer === 'function') Reflect.set(answers, verb, never)
    }
    const element = document.querySelector('latchkey-activation')
    const button = element?.shadowRoot?.querySelector<HTMLElement>(`[data-action='${pressed}']`)
    button?.click()
    // These show what the main process does, also if the app asked for it.
    const activity = { retry: 'validating', reactivate: 'activating', deactivate: 'deactivating' } as const
    if (pressed in activity) {
      window.stage.push({ ...answers.state, activity: activity[pressed as keyof typeof activity] })
    }
  }, action)
  await stage.page.waitForSelector('latchkey-activation[checking]')
}

const asking = [
  'activate',
  'choose-key',
  'release',
  'retry',
  'reactivate',
  'deactivate',
  'loadDevices',
  'offline-request',
  'offline-activate',
]

test.for(Object.keys(situations))(
  '%s: while a button works, nothing moves in any language, and no other button works',
  async (name) => {
    await stage.show(name)
    const found = (await enabled()).filter((action) => asking.includes(action))
    for (const action of found) {
      await stage.show(name)
      await stage.fit()
      await stage.page.evaluate(() => {
        const root = document.querySelector('latchkey-activation')?.shadowRoot
        root?.querySelector<HTMLElement>('[name=row]')?.click()
        const field = root?.querySelector<HTMLInputElement>('#key, #answer')
        if (field == null) return
        field.value = '1f0a6f52-7c3e-4b7d-9a51-3d2e8b4f9c1d'
        field.dispatchEvent(new Event('input', { bubbles: true }))
      })
      const before = await places(withHint)
      const idle = await places(actions)
      await press(action)
      expect(await places(withHint), `while ${action} works`).toEqual(before)
      expect(await enabled()).toEqual([])
      const isWatched = !action.startsWith('offline-') && action !== 'loadDevices'
      if (!isWatched) continue
      await stage.page.clock.runFor(8_100)
      await expect.poll(enabled).toEqual(['stopWaiting'])
      expect(await places(actions), `while ${action} takes long`).toEqual(idle)
    }
  },
)

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
