import type { ActivationScreen } from './activation-screen.ts'
import type { LicensingState } from './licensing-state.ts'

/** What the activation window's page is sent with itself, so that its first picture waits for no message. */
export interface PageStart<Strings = unknown> {
  readonly state: LicensingState
  readonly screen: ActivationScreen
  /** The texts of one language. */
  readonly strings: Strings
  /** BCP 47 locale whose dates and numbers go with them. */
  readonly locale: string
}

/** Id of the element in the page that holds the start as JSON. */
export const pageStartId = 'start'

/**
 * Where the activation window's page lives. `.invalid` is no domain anybody can own, and the window's session
 * answers for it from memory.
 */
export const activationPageUrl = 'https://activation.latchkey.invalid/'
