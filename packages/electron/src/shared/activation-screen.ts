/** A configured link the screen may offer. */
export type ActivationLink = 'buy' | 'renew' | 'support'

/** What the main process tells the activation screen about itself. Plain data, no secret. */
export interface ActivationScreen {
  /** Name of the app, shown as the heading and the window's title. */
  readonly title: string
  /** Data URL of the app's logo; `null` for none. */
  readonly logo: string | null
  /** CSS colour of buttons and focus; `null` for the built-in one. */
  readonly accent: string | null
  /** Which links are configured. Their addresses stay in the main process. */
  readonly links: readonly ActivationLink[]
  /** BCP 47 locale of the texts. */
  readonly locale: string
  /** Texts that replace the built-in ones, by key. */
  readonly strings: Readonly<Record<string, string>>
  /** License key text a deep link brought; prefilled, never activated by itself. `null` for none. */
  readonly prefilledText: string | null
  /** What a license key looks like: a UUID, or a text that only the main process can tell. @default 'uuid' */
  readonly licenseKeyForm?: 'uuid' | 'any' | undefined
}
