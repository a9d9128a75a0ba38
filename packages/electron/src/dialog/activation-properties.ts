import { LitElement, type PropertyDeclarations } from 'lit'
import { licensing } from '../renderer/licensing.ts'
import type { LicensingClient } from '../renderer/licensing-client.ts'
import type { ActivationLink } from '../shared/activation-screen.ts'

/** What a page may set on `<latchkey-activation>`. What it leaves out is as the main process says. */
export class ActivationProperties extends LitElement {
  static override readonly properties: PropertyDeclarations = {
    appTitle: { attribute: 'app-title' },
    logo: {},
    accent: {},
    links: { converter: (value: string | null) => value?.split(/\s+/).filter(isLink) },
    locale: {},
    strings: { attribute: false },
    theme: { reflect: true },
    client: { attribute: false },
  }

  /** Name of the app. */
  declare appTitle: string | null | undefined
  /** Address of the app's logo. @default what the main process says, or a drawn key */
  declare logo: string | null | undefined
  /** CSS colour of buttons and focus; the text on it adapts. */
  declare accent: string | null | undefined
  /** Which configured links are offered; as an attribute, their names with spaces between. */
  declare links: readonly ActivationLink[] | null | undefined
  /** BCP 47 locale of texts, dates and numbers. */
  declare locale: string | null | undefined
  /** Texts that replace the built-in ones, by key. */
  declare strings: Readonly<Record<string, string>> | null | undefined
  /** `light` or `dark`. @default what the system says */
  declare theme: string | null | undefined
  /** Where licensing is done. @default the `licensing` of this window */
  declare client: LicensingClient

  constructor() {
    super()
    this.client = licensing
  }
}

function isLink(name: string): name is ActivationLink {
  return name === 'buy' || name === 'renew' || name === 'support'
}
