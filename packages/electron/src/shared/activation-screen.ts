import type { LicensingState } from './licensing-state.ts'

/**
 * A link that the activation window may show, if the app configures its address.
 *
 * - `buy`: where to buy a license.
 * - `renew`: where to renew one.
 * - `coveredVersion`: the last version that an ended license covers.
 * - `support`: where to get help.
 * - `account`: the customer's account at the shop or the license service.
 * - `devices`: where customers see and free their devices, such as the page of a gateway.
 */
export type ActivationLink = (typeof activationLinks)[number]

/** The names of all links. */
export const activationLinks = ['buy', 'renew', 'coveredVersion', 'support', 'account', 'devices'] as const

/** What the screen may offer: a configured link, or an activation without internet. */
export type ScreenLink = ActivationLink | 'offline'

/** The activation window's options, sent by the main process. Plain data. Only `prefilledText` may be a secret. */
export interface ActivationScreen {
  /** Name of the app, shown as the heading and the window title. */
  readonly title: string
  /** Data URL of the app's logo; `null` for none. */
  readonly logo: string | null
  /** CSS color of buttons and focus; `null` for the built-in one. */
  readonly accent: string | null
  /**
   * Which links are configured, and `offline` if this app can be activated without internet. Their addresses stay in
   * the main process.
   */
  readonly links: readonly ScreenLink[]
  /** Host of the license service, to name it where a network blocks it. @default it isn't named */
  readonly serviceHost?: string | undefined
  /** BCP 47 locale of the texts. */
  readonly locale: string
  /** Texts that replace the built-in ones, by key. */
  readonly strings: Readonly<Record<string, string>>
  /**
   * Text from a deep link or from `openActivationWindow`: a license key, or the answer to an offline request. It is
   * filled in but never activated automatically. `null` for none.
   */
  readonly prefilledText: string | null
  /** The form of a license key: a UUID, or any text, which only the main process can recognize. @default 'uuid' */
  readonly licenseKeyForm?: 'uuid' | 'any' | undefined
  /** Whether licenses have seats. The window doesn't mention devices if they don't. @default true */
  readonly hasSeats?: boolean | undefined
}

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
