// The texts come first in the bundle, because it compresses better in this order.

import { loadStrings } from './strings/load-strings.ts'

// Then the element.

import { ActivationElement } from './activation-element.ts'

export type { LicensingClient } from '../renderer/licensing-client.ts'
export type { ActivationLink } from '../shared/activation-screen.ts'
export type { ActivationTextName, ActivationTexts } from '../shared/text-names.ts'
export type { SituationKind } from './scene/situation.ts'
export type { ActivationStrings } from './strings/activation-strings.ts'
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
