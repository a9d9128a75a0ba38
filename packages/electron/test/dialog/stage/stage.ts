import { bridgeName } from '../../../src/shared/licensing-bridge.ts'
import { createFakeBridge, type FakeBridge, screen } from './fake-bridge.ts'
import { type StagedSituation, situations } from './situations.ts'
import { unlicensed } from './states.ts'

// Runs in the page before the page's own script: puts a bridge on window as a preload would, and plays the
// situation the address names: #situation=…&locale=…&accent=…

declare global {
  interface Window {
    stage: FakeBridge & { play(): Promise<void>; speak(locale: string): Promise<ShadowRoot> }
  }
}

const wanted = new URLSearchParams(location.hash.slice(1))
const staged: StagedSituation = situations[wanted.get('situation') ?? ''] ?? { kind: 'enter-key' }

const fake = createFakeBridge(staged.state ?? unlicensed(), {
  screen: {
    ...screen,
    links: staged.isOffline === true ? [...screen.links, 'offline'] : screen.links,
    locale: wanted.get('locale') ?? 'en',
    accent: wanted.get('accent'),
    title: wanted.get('title') ?? screen.title,
    logo: wanted.get('logo'),
    prefilledText: wanted.get('prefilled') ?? staged.prefilled ?? null,
  },
  ...staged.answers,
})
Object.defineProperty(window, bridgeName, { value: fake.bridge })

const settled = (condition: () => boolean): Promise<void> =>
  new Promise((resolve) => {
    const look = (): void => {
      if (condition()) resolve()
      else setTimeout(look, 5)
    }
    look()
  })

function findScreen() {
  const element = document.querySelector('latchkey-activation')
  const root = element?.shadowRoot
  if (element == null || root == null) throw new Error('The page holds no screen.')
  return { element, root }
}

const nextTask = new MessageChannel()

window.stage = Object.assign(fake, {
  /** Makes the screen speak another language; resolves with what it shows then. */
  speak: async (locale: string) => {
    const { element, root } = findScreen()
    element.locale = locale
    while (root.querySelector('section')?.lang !== locale) {
      // A timer would take longer than the screen does, twelve times for each situation.
      await new Promise((resolve) => {
        nextTask.port1.onmessage = resolve
        nextTask.port2.postMessage(null)
      })
    }
    await element.updateComplete
    return root
  },
  /** Enters and clicks what the situation asks for; resolves when the screen is there. */
  play: async () => {
    const { element, root } = findScreen()
    await settled(() => root.querySelector('h1') !== null && element.getAttribute('situation') !== 'starting')
    const input = root.querySelector<HTMLInputElement>('#key')
    if (staged.enters !== undefined && input !== null) {
      input.value = staged.enters
      input.dispatchEvent(new Event('input'))
      input.form?.requestSubmit()
    }
    for (const action of staged.clicks ?? []) {
      await settled(() => {
        const button = root.querySelector<HTMLElement>(`[data-action='${action}']:not([aria-disabled=true])`)
        button?.click()
        return button !== null
      })
    }
    if (staged.ends !== undefined) fake.push(staged.ends)
    await settled(() => element.getAttribute('situation') === staged.kind)
    if (staged.kind === 'no-seat-left') await settled(() => root.querySelector('.spinner') === null)
    if (staged.prefilled !== undefined) await settled(() => root.querySelector('[part=found-key]') !== null)
    const { waitsFor } = staged
    if (waitsFor !== undefined) await settled(() => root.querySelector(waitsFor) !== null)
    await element.updateComplete
    await document.fonts.ready
  },
})
