import { h, render } from 'preact'
import { licensing } from '../renderer/licensing.ts'
import type { LicensingClient } from '../renderer/licensing-client.ts'
import { type ActivationLink, activationLinks, type ScreenLink } from '../shared/activation-screen.ts'
import { maskLicenseKey, readLicenseKeyText } from '../shared/license-key-text.ts'
import type { ActivationTexts, LoadedStrings } from '../texts/load-strings.ts'
import { applyAccent } from './accent.ts'
import { type Appearance, isGrayImage, loadAppearance, within } from './appearance.ts'
import {
  type ActivationSession,
  createActivationSession,
  windowTimers,
} from './session/activation-session.ts'
import { carriedText } from './session/session-view.ts'
import { obstacleOf } from './situation/decide-situation.ts'
import { type Entry, focusPlaceOf, layoutOf, nothingEntered, type Shown, show } from './situation/shown.ts'
import type { ElementAction } from './situation/situation.ts'
import { sheetsFor } from './styles/styles.ts'
import { ActivationTemplate, type UserEvents } from './templates/activation-template.tsx'

const properties = ['appTitle', 'logo', 'accent', 'links', 'locale', 'theme', 'strings', 'client'] as const

/** How long to wait for the first state before drawing without it, in milliseconds. */
const startMs = 400

/** The most of a file that is read as an answer, in bytes. The main process refuses one that is longer than that. */
const mostBytes = 200_000

const noop = (): void => {}

/**
 * The content of the activation window: `<latchkey-activation>`.
 *
 * By default it shows what `createLicensing` and `openActivationWindow` configure. In a page of your own, attributes
 * and properties can override that. Colors, font and corners follow the `--latchkey-…` custom properties. The attribute
 * `situation` names what it shows: see {@link SituationKind}.
 *
 * @fires latchkey-dismiss when the user finishes or cancels. In an activation window, the default action closes it.
 */
export class ActivationElement extends HTMLElement {
  /** @hidden */
  static readonly observedAttributes: readonly string[] = ['app-title', ...properties.slice(1, 6)]

  /**
   * Loads the built-in texts; set where the element is defined.
   * @hidden
   */
  declare static loadStrings: (locale: string) => Promise<LoadedStrings>

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

  readonly #given = new Map<string, unknown>([['client', licensing]])
  #isPending = false
  #isDressed = false
  #session: ActivationSession | null = null
  #appearance: Appearance | null = null
  #shown: Shown | null = null
  readonly #entry: Entry = { ...nothingEntered }
  #isLogoBroken = false
  #isLogoGray = false
  #dressings = 0
  // The built-in accent's colors are part of the styles. Colors of another accent are computed only if there is one.
  #accent = ''
  #ticking: ReturnType<typeof setInterval> | undefined
  readonly #root = this.attachShadow({ mode: 'open' })

  static {
    for (const name of properties) {
      Object.defineProperty(ActivationElement.prototype, name, {
        get(this: ActivationElement) {
          return this.#given.get(name)
        },
        set(this: ActivationElement, value: unknown) {
          this.#set(name, value)
        },
      })
    }
  }

  constructor() {
    super()
    this.addEventListener('keydown', this.#onKeydown)
    for (const name of properties) {
      // The property was set before the element was defined.
      const own = Object.getOwnPropertyDescriptor(this, name)
      if (own === undefined) continue
      Reflect.deleteProperty(this, name)
      this.#set(name, own.value)
    }
  }

  /** @hidden */
  attributeChangedCallback(attribute: string, _before: unknown, value: string | null): void {
    if (attribute === 'app-title') this.appTitle = value
    else this.#set(attribute, attribute === 'links' ? value?.split(/\s+/) : value)
  }

  #set(name: string, value: unknown): void {
    if (value === this.#given.get(name)) return
    this.#given.set(name, value)
    if (name === 'client') this.#stop()
    if (name === 'logo') this.#isLogoBroken = false
    if (name === 'theme') {
      // The styles select by this attribute.
      this.setAttribute(name, String(value ?? ''))
      this.#root.adoptedStyleSheets = sheetsFor(this.theme)
    } else this.#isDressed = false
    this.#requestUpdate()
  }

  /** @hidden */
  connectedCallback(): void {
    this.#root.adoptedStyleSheets = sheetsFor(this.theme)
    window.addEventListener('online', this.#onOnline)
    window.addEventListener('focus', this.#onWindowFocus)
    this.#isDressed = false
    this.#requestUpdate()
  }

  /** @hidden */
  disconnectedCallback(): void {
    window.removeEventListener('online', this.#onOnline)
    window.removeEventListener('focus', this.#onWindowFocus)
    clearInterval(this.#ticking)
    this.#stop()
  }

  #stop(): void {
    this.#session?.stop()
    this.#session = null
  }

  #lookAtClipboard(): void {
    if (this.#input?.value === '') this.#session?.lookAtClipboard()
  }

  #requestUpdate(): void {
    if (this.#isPending) return
    this.#isPending = true
    this.updateComplete = Promise.resolve().then(() => {
      this.#isPending = false
      if (this.isConnected) this.#update()
    })
  }

  /** Loads appearance and texts, and shows them. */
  async #dress(): Promise<void> {
    this.#dressings += 1
    const mine = this.#dressings
    const { appTitle: title, logo, accent: color, links, locale, strings } = this
    const own = Object.entries({ title, logo, accent: color, links, locale, strings })
    const [appearance] = await Promise.all([
      loadAppearance(
        this.client,
        Object.fromEntries(own.filter(([, value]) => value != null)),
        ActivationElement.loadStrings,
      ),
      // The first state usually arrives within moments, so don't flash a waiting message.
      this.#session?.view.state ?? within<unknown>(this.client.ready, startMs, noop),
    ])
    const accent = (appearance.accent ?? getComputedStyle(this).getPropertyValue('--latchkey-accent')).trim()
    if (mine !== this.#dressings) return
    if (accent !== this.#accent) applyAccent(this, accent)
    this.#accent = accent
    const { prefilledText } = appearance
    this.#entry.takesAny = appearance.licenseKeyForm === 'any'
    const isFirst = this.#appearance === null
    const { logo: address } = appearance
    if (address !== this.#appearance?.logo) void this.#lookAt(address)
    // From here on, only the field holds the key.
    this.#appearance = { ...appearance, prefilledText: null }
    this.#requestUpdate()
    if (isFirst && prefilledText !== null) await this.#prefill(prefilledText)
  }

  /** A gateway says with its answers whether it has a page for devices. */
  async #reloadLinks(): Promise<void> {
    const { links } = await this.client.screen()
    if (this.#appearance === null) return
    this.#appearance = { ...this.#appearance, links: this.links ?? links }
    this.#requestUpdate()
  }

  /** Finds out whether a logo has a color to light the window with. */
  async #lookAt(logo: string | null): Promise<void> {
    const isGray = logo !== null && (await isGrayImage(logo))
    if (logo !== this.#appearance?.logo || isGray === this.#isLogoGray) return
    this.#isLogoGray = isGray
    this.#requestUpdate()
  }

  /** Shows the key or the answer from a link. Nothing is activated until the user clicks. */
  async #prefill(text: string): Promise<void> {
    await this.updateComplete
    if (text.startsWith('latchkey-answer-')) {
      this.#session?.openOffline('')
      return this.#enterAnswer(text)
    }
    if (this.#input === null) this.#session?.enterKey()
    await this.updateComplete
    this.#fill(text, true)
  }

  async #enterAnswer(text: string): Promise<void> {
    this.#session?.enterAnswer()
    await this.updateComplete
    if (this.#answer !== null) this.#answer.value = text
  }

  #activateFile([file]: Iterable<File> = []): void {
    if (file !== undefined) this.#session?.activateOffline(file.slice(0, mostBytes).text())
  }

  #update(): void {
    if (this.#session === null) {
      this.#session = createActivationSession(this.client, windowTimers, () => this.#requestUpdate())
      this.#session.start()
    }
    if (!this.#isDressed) {
      this.#isDressed = true
      void this.#dress()
    }

    const { view } = this.#session
    if (this.#appearance === null) return
    const { translator, logo } = this.#appearance
    const before = this.#shown
    const hadFocus = this.#root.activeElement !== null
    const entry = this.#entry
    entry.isFieldEmpty = !this.#input?.value
    const now = show(before, view, entry, this.#appearance, Date.now())
    const { facts, body } = now.situation
    this.#shown = now
    entry.chosenId = now.chosenId
    if (body !== 'list') entry.isUnchosen = false
    if (!facts.isChecking) entry.pressed = null
    const shownLogo = this.#isLogoBroken ? null : logo
    const props = { shown: now, translator, logo: shownLogo, isLogoGray: this.#isLogoGray, on: this.#events }
    render(h(ActivationTemplate, props), this.#root)

    this.setAttribute('situation', facts.kind)
    this.toggleAttribute('checking', facts.isChecking)
    if (facts.kind === 'no-seat-left' && before?.situation.facts.kind !== facts.kind)
      void this.#reloadLinks().catch(noop)
    this.#keepTicking(view.retryAtMs !== null)
    this.#keepText(before, now)
    if (hadFocus || (before === null && this.autofocus)) keepFocus(this.#root, before, now)
    if (before !== null && layoutOf(before.situation) !== layoutOf(now.situation)) fadeIn(this.#root)
  }

  /** Fills a new field with the last attempt's text, and empties it once that text was accepted. */
  #keepText(before: Shown | null, { view }: Shown): void {
    const text = this.#session?.heldText ?? ''
    if (before === null) return
    const isNew = before.situation.body !== 'form'
    const isAccepted = before.view.attempt?.isRunning && view.attempt === null && text === ''
    if (isAccepted || (isNew && text !== '')) this.#fill(text, false)
  }

  #keepTicking(isWaiting: boolean): void {
    if (isWaiting === (this.#ticking !== undefined)) return
    clearInterval(this.#ticking)
    this.#ticking = isWaiting ? setInterval(() => this.#requestUpdate(), 1_000) : undefined
  }

  get #input(): HTMLInputElement | null {
    return this.#root.querySelector<HTMLInputElement>('#key')
  }

  #fill(text: string, isFromLink: boolean): void {
    if (this.#input === null) return
    this.#input.value = text
    this.#entry.isFromLink = isFromLink
    this.#findKey()
  }

  /** Looks for a license key in the field. */
  #findKey(): void {
    const text = this.#input?.value ?? ''
    const read = readLicenseKeyText(text)
    const { takesAny, isFromLink } = this.#entry
    // A link contains nothing but the key.
    const key = takesAny ? isFromLink && text : read.ok && read.licenseKey
    this.#entry.foundKey = key ? maskLicenseKey(key) : null
    this.#requestUpdate()
  }

  #markEdited(): void {
    Object.assign(this.#entry, { isEdited: true, isFromLink: false, pasteProblem: null })
    this.#session?.dismissClipboardKey()
  }

  /** Keeps only the key of a pasted or dropped text. */
  #takeKey(event: Event, text: string): void {
    if (this.#input === null) return
    this.#markEdited()
    const read = readLicenseKeyText(text)
    if (this.#entry.takesAny) return
    if (read.ok) this.#input.value = read.licenseKey
    else if (read.code === 'several-license-keys') this.#session?.offerKeys(text)
    else if (read.code === 'text-too-long') this.#entry.pasteProblem = read.code
    // Any other text may be part of a key that the user completes by hand.
    else return
    event.preventDefault()
    this.#findKey()
  }

  /** Returns what is in the license key field, to be submitted. */
  #submitText(): string {
    this.#entry.isEdited = false
    this.#entry.pasteProblem = null
    return this.#input?.value ?? ''
  }

  get #carriedText(): string {
    return (this.#session && carriedText(this.#session.view))?.text ?? ''
  }

  get #answer(): HTMLTextAreaElement | null {
    return this.#root.querySelector<HTMLTextAreaElement>('#answer')
  }

  /** Leaves the window: fires `latchkey-dismiss`, and closes the activation window unless a listener prevents it. */
  dismiss(): void {
    const event = new Event('latchkey-dismiss', { bubbles: true, composed: true, cancelable: true })
    if (this.dispatchEvent(event)) this.client.closeActivationWindow().catch(noop)
  }

  readonly #events: UserEvents = {
    onAction: (action) => {
      this.#entry.pressed = action
      if (isElementAction(this.#actions, action)) this.#actions[action]()
      else if (isLink(action)) this.#open(action)
      else this.#session?.[action]()
    },
    onLogoError: () => {
      this.#isLogoBroken = true
      this.#requestUpdate()
    },
    onInput: () => {
      this.#markEdited()
      this.#findKey()
    },
    onTake: (event, data) => {
      if (this.#session?.view.intent === 'offline') this.#takeAnswer(event, data)
      else if (this.#input?.readOnly === false) {
        this.#takeKey(event, data?.getData('text/plain') ?? '')
        this.#input.focus()
      }
    },
    onFieldFocus: () => this.#lookAtClipboard(),
    onChoose: (id) => {
      // What is being released stays chosen.
      if (!this.#shown?.situation.facts.isChecking) {
        this.#entry.chosenId = id
        this.#entry.isUnchosen = false
      }
      this.#requestUpdate()
    },
  }

  /** What is dropped or pasted is an answer, wherever the pointer or the focus is. */
  #takeAnswer(event: Event, data: DataTransfer | null): void {
    const { kind, isChecking } = this.#shown?.situation.facts ?? {}
    const isText = data?.files[0] === undefined
    if (isChecking || kind === 'offline' || (isText && event.target === this.#answer)) return
    event.preventDefault()
    if (isText) void this.#enterAnswer(data?.getData('text/plain') ?? '')
    else this.#activateFile(data.files)
  }

  /** Acts on the chosen entry of the list, or asks the user to choose one. */
  #choose(act: (id: string) => void): void {
    const { chosenId } = this.#entry
    this.#entry.isUnchosen = chosenId === null
    if (chosenId === null) this.#requestUpdate()
    else act(chosenId)
  }

  readonly #actions: Readonly<Record<ElementAction, () => void>> = {
    activate: () => {
      const input = this.#input
      if (input === null) return
      if (this.#shown?.token) this.#session?.activateFromClipboard()
      // What is wrong with the last paste is more useful to the user than "the field is empty".
      else if (input.value === '' && this.#entry.pasteProblem !== null) input.focus()
      else {
        this.#session?.activate(this.#submitText(), this.#entry.takesAny)
        if (input.value.trim() === '') input.focus()
      }
    },
    'choose-key': () => this.#choose((id) => this.#session?.activateChoice(id)),
    release: () => this.#choose((id) => this.#session?.release(id)),
    continue: () => this.dismiss(),
    offline: () => this.#session?.openOffline(this.#submitText()),
    'request-offline': () => this.#session?.requestOffline(this.#submitText()),
    'activate-offline': () => this.#session?.activateOffline(Promise.resolve(this.#answer?.value ?? '')),
    'choose-file': () => {
      const picker = document.createElement('input')
      picker.type = 'file'
      picker.onchange = () => this.#activateFile(picker.files ?? [])
      picker.click()
    },
    'save-file': () => {
      const index = this.#session?.view.releaseIndex ?? 0
      const name = this.#session?.view.intent === 'offline' ? 'request' : 'release'
      saveFile(`${name}${index === 0 ? '' : `-${index + 1}`}.latchkey`, this.#carriedText)
    },
    'copy-text': () => {
      if (copyText(this.#carriedText)) this.#session?.showCopied('text')
    },
    'remove-token': () => {
      this.#session?.dismissClipboardKey()
      this.#input?.focus()
    },
  }

  /** @returns whether the menu was open */
  #closeMenu(): boolean {
    const menu = this.#root.querySelector<HTMLElement>(':popover-open')
    menu?.hidePopover()
    return menu !== null
  }

  #open(link: ActivationLink): void {
    this.#closeMenu()
    this.#session?.openLink(link)
  }

  readonly #onKeydown = (event: KeyboardEvent): void => {
    if (event.isComposing || event.defaultPrevented) return
    const isPasting = event.key.toLowerCase() === 'v' && (event.ctrlKey || event.metaKey)
    const isTyping = event.key.length === 1 && event.key !== ' ' && !event.ctrlKey && !event.metaKey
    // Typing or pasting replaces the key that was found.
    if (this.#shown?.token && (isTyping || isPasting)) this.#input?.focus()
    if (event.key !== 'Escape') return
    event.preventDefault()
    if (this.#closeMenu()) return
    if (this.#session?.view.intent === null) this.dismiss()
    else this.#session?.back()
  }

  readonly #onOnline = (): void => {
    const facts = this.#shown?.situation.facts
    if (facts === undefined || facts.isChecking) return
    // If the service asked for a pause, keep to it.
    const obstacle = obstacleOf(facts)
    const isWaiting = obstacle !== null && obstacle.code !== 'rate-limited'
    if (isWaiting || facts.kind === 'grace-over') this.#session?.retryByItself()
  }

  // The user may be coming back from signing in to a public network.
  readonly #onWindowFocus = (): void => {
    if (this.#shown && obstacleOf(this.#shown.situation.facts) !== null) this.#onOnline()
    // A buyer comes back with a copied key, and the focus still on the link to the shop.
    this.#lookAtClipboard()
  }
}

function isElementAction(actions: object, name: string): name is ElementAction {
  return Object.hasOwn(actions, name)
}

function isLink(name: string): name is ActivationLink {
  return activationLinks.some((link) => link === name)
}

/** Fades in the words and the content below, unless the user prefers reduced motion. */
function fadeIn(root: ParentNode): void {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return
  for (const part of root.querySelectorAll('.hero > :not(.emblem), .body')) {
    part.animate({ opacity: [0, 1], translate: ['0 4px', '0'] }, { duration: 180, easing: 'ease-out' })
  }
}

/**
 * Moves the focus to where the user continues, after a change that moved or removed the focused element. Call it only
 * if the focus was in this element.
 */
function keepFocus(root: ShadowRoot, before: Shown | null, now: Shown): void {
  const { hint, situation, token } = now
  const isRefused = hint.tone === 'danger' && hint.said !== before?.hint.said
  const isSameLayout = before !== null && layoutOf(before.situation) === layoutOf(situation)
  // With an empty field, pressing Enter activates the key that was found.
  const isFound = token !== null && before?.token !== token && root.activeElement?.id === 'key'
  if (isSameLayout && !isRefused && !isFound && root.activeElement !== null) return
  const selector = isRefused && situation.body === 'list' ? '.row input' : focusPlaceOf(now)
  const target = root.querySelector<HTMLElement>(selector)
  target?.focus()
  if (isRefused && target instanceof HTMLInputElement) target.select()
}

/**
 * Copies a text. The activation window denies the permission that `navigator.clipboard` needs, but a command that follows
 * a click needs none.
 *
 * @returns whether it was copied.
 */
function copyText(text: string): boolean {
  const onCopy = (event: ClipboardEvent): void => {
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  document.addEventListener('copy', onCopy, true)
  const isCopied = document.execCommand('copy')
  document.removeEventListener('copy', onCopy, true)
  return isCopied
}

/** Offers a text as a file to save. The system asks where. */
function saveFile(name: string, text: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/octet-stream' }))
  link.download = name
  link.click()
  // The download has started by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
