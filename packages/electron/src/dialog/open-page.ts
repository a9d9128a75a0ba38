import type { LicensingClient } from '../renderer/licensing-client.ts'
import { ActivationElement } from './activation-element.ts'
import type { LoadedStrings } from './strings/load-strings.ts'

const name = 'latchkey-activation'

/** Brings the activation window's page to life. */
export function openPage(
  client: LicensingClient,
  loadStrings: (locale: string) => Promise<LoadedStrings>,
): void {
  ActivationElement.loadStrings = loadStrings
  customElements.define(name, ActivationElement)
  const screen = document.querySelector<ActivationElement>(name)
  if (screen === null) return
  screen.client = client
  screen.autofocus = true
  replayClick(screen)
  recheckLogo(screen)

  // A file dropped beside the field would otherwise replace the page.
  for (const type of ['dragover', 'drop']) {
    document.addEventListener(type, (event) => {
      if (!event.defaultPrevented) event.preventDefault()
    })
  }

  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !event.defaultPrevented && !event.isComposing) screen.dismiss()
  })
}

/** Does what the user clicked while there was only the initial render: the page has kept it. */
function replayClick(screen: ActivationElement): void {
  const observer = new MutationObserver(() => {
    observer.disconnect()
    // What was entered by then comes into the field first.
    setTimeout(() => {
      const { clicked } = screen.dataset
      delete screen.dataset['clicked']
      if (clicked === undefined) return
      screen.shadowRoot?.querySelector<HTMLElement>(`[data-action=${CSS.escape(clicked)}]`)?.click()
    })
  })
  observer.observe(screen, { attributeFilter: ['situation'] })
}

/** The logo may have failed to load while there was only the initial render. */
function recheckLogo({ shadowRoot }: ActivationElement): void {
  const image = shadowRoot?.querySelector('image') ?? null
  if (image === null) return
  const probe = new Image()
  probe.onerror = () => image.dispatchEvent(new Event('error'))
  probe.src = image.href.baseVal
}
