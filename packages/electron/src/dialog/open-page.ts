import type { LicensingClient } from '../renderer/licensing-client.ts'
import { ActivationElement } from './activation-element.ts'
import type { LoadedStrings } from './strings/load-strings.ts'

const name = 'latchkey-activation'

/** Starts the activation window's page. */
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

  // Otherwise a file dropped beside the field would replace the page.
  for (const type of ['dragover', 'drop']) {
    document.addEventListener(type, (event) => {
      if (!event.defaultPrevented) event.preventDefault()
    })
  }

  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !event.defaultPrevented && !event.isComposing) screen.dismiss()
  })
}

/** Performs the click that the page recorded while there was only the initial render. */
function replayClick(screen: ActivationElement): void {
  const observer = new MutationObserver(() => {
    observer.disconnect()
    // First move what was typed by then into the field.
    setTimeout(() => {
      const { clicked } = screen.dataset
      delete screen.dataset['clicked']
      if (clicked === undefined) return
      screen.shadowRoot?.querySelector<HTMLElement>(`[data-action=${CSS.escape(clicked)}]`)?.click()
    })
  })
  observer.observe(screen, { attributeFilter: ['situation'] })
}

/** Checks whether the logo failed to load while there was only the initial render. */
function recheckLogo({ shadowRoot }: ActivationElement): void {
  const image = shadowRoot?.querySelector('image') ?? null
  if (image === null) return
  const probe = new Image()
  probe.onerror = () => image.dispatchEvent(new Event('error'))
  probe.src = image.href.baseVal
}
