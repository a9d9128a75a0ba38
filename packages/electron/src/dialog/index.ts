import { loadStrings } from '../texts/load-strings.ts'
import { ActivationElement } from './activation-element.ts'

export type { LicensingClient } from '../renderer/licensing-client.ts'
export type { ActivationLink } from '../shared/activation-screen.ts'
export type { ActivationStrings, ActivationTextName, ActivationTexts } from '../texts/load-strings.ts'
export type { SituationKind } from './situation/decide-situation.ts'
export { ActivationElement }

/** Name of the custom element. Importing this module defines it. */
export const activationElementName = 'latchkey-activation'

ActivationElement.loadStrings = loadStrings
// If a page has two copies of this module, the first one defines the element.
if (customElements.get(activationElementName) === undefined) {
  customElements.define(activationElementName, ActivationElement)
}

declare global {
  interface HTMLElementTagNameMap {
    'latchkey-activation': ActivationElement
  }
}
