import type { LicensingClient } from '../renderer/licensing-client.ts'
import type { LoadedStrings } from '../texts/load-strings.ts'
import { ActivationElement } from './activation-element.ts'

const name = 'latchkey-activation'

/** Starts the activation window's page. */
export function openPage(
  client: LicensingClient,
  loadStrings: (locale: string) => Promise<LoadedStrings>,
): void {
  ActivationElement.loadStrings = loadStrings
  customElements.define(name, ActivationElement)
  const element = document.querySelector<ActivationElement>(name)
  if (element === null) return
  element.client = client
  element.autofocus = true

  // Otherwise a file dropped beside the field would replace the page.
  for (const type of ['dragover', 'drop']) {
    document.addEventListener(type, (event) => {
      if (!event.defaultPrevented) event.preventDefault()
    })
  }

  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !event.defaultPrevented && !event.isComposing) element.dismiss()
  })
}
