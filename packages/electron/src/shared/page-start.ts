import type { ActivationScreen } from './activation-screen.ts'
import type { LicensingState } from './licensing-state.ts'

/** Data included in the activation window's page, so that its first render doesn't wait for a message. */
export interface PageStart<Strings = unknown> {
  readonly state: LicensingState
  readonly screen: ActivationScreen
  /** The texts of one language. */
  readonly strings: Strings
  /** BCP 47 locale for dates and numbers. */
  readonly locale: string
}

/** Id of the page element that holds this data as JSON. */
export const pageStartId = 'start'

/**
 * Address of the activation window's page. Nobody can register a `.invalid` domain, and the window's session serves the
 * page from memory.
 */
export const activationPageUrl = 'https://activation.latchkey.invalid/'
