import { licensing } from '../renderer/licensing.ts'
import type { LicensingClient } from '../renderer/licensing-client.ts'
import type { ActivationLink } from '../shared/activation-screen.ts'

const attributes = ['app-title', 'logo', 'accent', 'links', 'locale', 'theme'] as const
const names = ['appTitle', 'logo', 'accent', 'links', 'locale', 'theme', 'strings', 'client'] as const

/** Name of a property a page may set. */
export type ActivationProperty = (typeof names)[number]

/** What a page may set on `<latchkey-activation>`. What it leaves out is as the main process says. */
export abstract class ActivationProperties extends HTMLElement {
  static readonly observedAttributes: readonly string[] = attributes

  /** Name of the app. */
  declare appTitle: string | null | undefined
  /** Address of the app's logo. @default what the main process says, or a drawn key */
  declare logo: string | null | undefined
  /** CSS color of buttons and focus; the text on it adapts. */
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

  /** Resolves when every change so far is on the screen. */
  updateComplete: Promise<void> = Promise.resolve()

  readonly #values = new Map<ActivationProperty, unknown>([['client', licensing]])
  #changed = new Set<ActivationProperty>()
  #isPending = false

  static {
    for (const name of names) {
      Object.defineProperty(ActivationProperties.prototype, name, {
        get(this: ActivationProperties) {
          return this.#values.get(name)
        },
        set(this: ActivationProperties, value: unknown) {
          if (value === this.#values.get(name)) return
          this.#values.set(name, value)
          // The styles look at the attribute.
          if (name === 'theme') this.setAttribute(name, String(value ?? ''))
          this.requestUpdate(name)
        },
      })
    }
  }

  constructor() {
    super()
    for (const name of names) {
      // Set before this class was known.
      const own = Object.getOwnPropertyDescriptor(this, name)
      if (own === undefined) continue
      Reflect.deleteProperty(this, name)
      Reflect.set(this, name, own.value)
    }
  }

  attributeChangedCallback(
    attribute: (typeof attributes)[number],
    _before: unknown,
    value: string | null,
  ): void {
    const name = attribute === 'app-title' ? 'appTitle' : attribute
    Reflect.set(this, name, name === 'links' ? value?.split(/\s+/) : value)
  }

  /** Draws the screen anew, soon. @param property what the page has set meanwhile */
  protected requestUpdate(property?: ActivationProperty): void {
    if (property !== undefined) this.#changed.add(property)
    if (this.#isPending) return
    this.#isPending = true
    this.updateComplete = Promise.resolve().then(() => {
      this.#isPending = false
      const changed = this.#changed
      this.#changed = new Set()
      if (this.isConnected) this.update(changed)
    })
  }

  protected abstract update(changed: ReadonlySet<ActivationProperty>): void
}
