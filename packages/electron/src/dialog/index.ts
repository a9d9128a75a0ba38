import { ActivationElement } from './activation-element.ts'
import { loadStrings } from './texts/load-strings.ts'

export type { LicensingClient } from '../renderer/licensing-client.ts'
export type { ActivationLink } from '../shared/activation-screen.ts'
export type { ActivationTextName, ActivationTexts } from '../shared/text-names.ts'
export type { SituationKind } from './situation/decide-situation.ts'
export type { ActivationStrings } from './texts/load-strings.ts'
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
