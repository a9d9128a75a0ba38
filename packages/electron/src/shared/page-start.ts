import type { ActivationScreen } from './activation-screen.ts'
import type { LicensingState } from './licensing-state.ts'

/** Data included in the activation window's page, so that its first text doesn't wait for a message. */
export interface PageStart<Texts = { readonly locale: string }> {
  readonly state: LicensingState
  readonly screen: ActivationScreen
  /** The texts of one language, and the BCP 47 locale for dates and numbers. */
  readonly texts: Texts
}

/** Id of the page element that holds this data as JSON. */
export const pageStartId = 'start'

/**
 * Address of the activation window's page. Nobody can register a `.invalid` domain, and the window's session serves the
 * page from memory.
 */
export const activationPageUrl = 'https://activation.latchkey.invalid/'
