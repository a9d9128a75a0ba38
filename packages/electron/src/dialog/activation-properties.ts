import { licensing } from '../renderer/licensing.ts'
import type { LicensingClient } from '../renderer/licensing-client.ts'
import type { ScreenLink } from '../shared/activation-screen.ts'
import type { ActivationTexts } from '../texts/load-strings.ts'

const names = ['appTitle', 'logo', 'accent', 'links', 'locale', 'theme', 'strings', 'client'] as const
const attributes = ['app-title', ...names.slice(1, 6)]

/** Name of a property that a page can set. */
export type ActivationProperty = (typeof names)[number]

/** What a page can set on `<latchkey-activation>`. The main process decides everything that isn't set. */
export abstract class ActivationProperties extends HTMLElement {
  /** @hidden */
  static readonly observedAttributes: readonly string[] = attributes

  /** Name of the app. As an attribute: `app-title`. @default the window's `title` */
  declare appTitle: string | null | undefined
  /** Address of the app's logo. @default the window's `logo`, or a drawn key */
  declare logo: string | null | undefined
  /** CSS color of buttons and focus. Text on it adapts. @default the window's `accent`, or `--latchkey-accent` */
  declare accent: string | null | undefined
  /**
   * Which of the configured links to offer, and `offline` to offer activation without internet. As an attribute: their
   * names, separated by spaces.
   * @default all of them
   */
  declare links: readonly ScreenLink[] | null | undefined
  /** BCP 47 locale of texts, dates and numbers. @default the window's `locale` */
  declare locale: string | null | undefined
  /** Texts that replace the built-in ones, by key, in addition to the window's `strings`. Only as a property. */
  declare strings: ActivationTexts | null | undefined
  /** `light` or `dark`. @default the system's theme */
  declare theme: string | null | undefined
  /** The licensing client. Only as a property. @default `licensing` of this window */
  declare client: LicensingClient

  /** Resolves when all changes so far are on the screen. */
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
          // The styles select by this attribute.
          if (name === 'theme') this.setAttribute(name, String(value ?? ''))
          this.requestUpdate(name)
        },
      })
    }
  }

  constructor() {
    super()
    for (const name of names) {
      // The property was set before the element was defined.
      const own = Object.getOwnPropertyDescriptor(this, name)
      if (own === undefined) continue
      Reflect.deleteProperty(this, name)
      Reflect.set(this, name, own.value)
    }
  }

  /** @hidden */
  attributeChangedCallback(attribute: string, _before: unknown, value: string | null): void {
    const name = attribute === 'app-title' ? 'appTitle' : attribute
    Reflect.set(this, name, name === 'links' ? value?.split(/\s+/) : value)
  }

  /** Schedules a redraw. @param property the property that the page has set */
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
