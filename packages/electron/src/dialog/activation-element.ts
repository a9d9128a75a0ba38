// First, because the bundle compresses better in this order.

import { styles } from './styles/styles.ts'

// Then everything else.

import type { ActivationLink } from '../shared/activation-screen.ts'
import { ActivationProperties, type ActivationProperty } from './activation-properties.ts'
import { draw } from './dom/draw.ts'
import { keepFocus, layoutOf } from './keep-focus.ts'
import { createKeyField } from './key-field.ts'
import { type Appearance, loadAppearance } from './look/appearance.ts'
import { fadeIn } from './look/fade-in.ts'
import { noop } from './noop.ts'
import type { OfflineScreen } from './offline/offline-screen.ts'
import { createOnDemandParts } from './on-demand-parts.ts'
import { isLink, isScreenAction, isSessionAction } from './scene/kind-of-action.ts'
import type { ScreenAction } from './scene/scene.ts'
import { type ScreenChoice, type ScreenFrame, screenFrame } from './scene/screen-frame.ts'
import { listenToScreen, type ScreenEvents } from './screen-events.ts'
import type { ActivationSession } from './session/activation-session.ts'
import { createActivationSession } from './session/create-activation-session.ts'
import { windowTimers } from './session/window-timers.ts'
import { within } from './session/within.ts'
import type { LoadedStrings } from './strings/load-strings.ts'
import { sheetOf } from './styles/sheet-of.ts'
import { screenTemplate } from './templates/screen-template.ts'

const startMs = 400

let sheet: CSSStyleSheet | null = null

/**
 * The content of the activation window: `<latchkey-activation>`.
 *
 * By default it shows what `createLicensing` and `openActivationWindow` configure. In a page of your own, attributes
 * and properties can override that. Colors, font and corners follow the `--latchkey-…` custom properties. The attribute
 * `situation` names what it shows: see {@link SituationKind}.
 *
 * @fires latchkey-dismiss when the user finishes or cancels. In an activation window, the default action closes it.
 */
export class ActivationElement extends ActivationProperties {
  /**
   * Loads the built-in texts; set where the element is defined.
   * @hidden
   */
  declare static loadStrings: (locale: string) => Promise<LoadedStrings>

  #session: ActivationSession | null = null
  #appearance: Appearance | null = null
  #frame: ScreenFrame | null = null
  readonly #choice: ScreenChoice = { chosenId: null, isUnchosen: false }
  readonly #parts = createOnDemandParts(
    this,
    () => this.#root,
    () => this.#appearance?.locale,
    () => this.requestUpdate(),
    () => this.#session?.finish(),
  )
  #isLogoBroken = false
  #dressings = 0
  // The built-in accent's colors are part of the styles. Colors of another accent are computed only if there is one.
  #accent = ''
  #ticking: ReturnType<typeof setInterval> | undefined
  readonly #field = createKeyField(() => this.requestUpdate())

  /** @hidden */
  connectedCallback(): void {
    const root = this.#root
    if (root.adoptedStyleSheets.length === 0) {
      listenToScreen(root, this.#events)
      sheet ??= sheetOf(styles)
      root.adoptedStyleSheets = [sheet]
    }
    this.addEventListener('keydown', this.#onKeydown)
    window.addEventListener('online', this.#onOnline)
    window.addEventListener('focus', this.#onWindowFocus)
    this.requestUpdate('client')
  }

  /** @hidden */
  disconnectedCallback(): void {
    this.removeEventListener('keydown', this.#onKeydown)
    window.removeEventListener('online', this.#onOnline)
    window.removeEventListener('focus', this.#onWindowFocus)
    clearInterval(this.#ticking)
    this.#session?.stop()
    this.#session = null
  }

  #begin(): void {
    this.#session?.stop()
    this.#session = createActivationSession(this.client, windowTimers, () => this.requestUpdate())
    this.#session.start()
  }

  /** Loads appearance and texts, and shows them. */
  async #dress(): Promise<void> {
    this.#dressings += 1
    const mine = this.#dressings
    const { appTitle: title, logo, links, locale, strings } = this
    const [appearance] = await Promise.all([
      loadAppearance(
        this.client,
        { title, logo, accent: this.accent, links, locale, strings },
        ActivationElement.loadStrings,
      ),
      // The first state usually arrives within moments, so don't flash a waiting message.
      this.#session?.view.state ?? within<unknown>(this.client.ready, startMs, noop),
    ])
    const accent = (appearance.accent ?? getComputedStyle(this).getPropertyValue('--latchkey-accent')).trim()
    const palette = accent === this.#accent ? null : await import('./look/apply-accent.ts')
    if (mine !== this.#dressings) return
    palette?.applyAccent(this, accent)
    this.#accent = accent
    const { prefilledText } = appearance
    this.#field.takesAny = appearance.licenseKeyForm === 'any'
    const isFirst = this.#appearance === null
    // From here on, only the field holds the key.
    this.#appearance = { ...appearance, prefilledText: null }
    this.requestUpdate()
    if (isFirst && prefilledText !== null) await this.#prefill(prefilledText)
  }

  /** Shows the key or the answer from a link. Nothing is activated until the user clicks. */
  async #prefill(text: string): Promise<void> {
    await this.updateComplete
    if (text.startsWith('latchkey-answer-')) return this.#openOffline((offline) => offline.openAnswer(text))
    if (this.#input === null) this.#session?.enterKey()
    await this.updateComplete
    if (this.#input !== null) this.#field.fill(this.#input, text, true)
  }

  protected override update(changed: ReadonlySet<ActivationProperty>): void {
    if (changed.has('client')) this.#begin()
    if (changed.has('logo')) this.#isLogoBroken = false
    if ([...changed].some((name) => name !== 'theme')) void this.#dress()

    const { view } = this.#session ?? {}
    if (view === undefined || this.#appearance === null) return
    const { translator, links, logo } = this.#appearance
    const before = this.#frame
    const hadFocus = this.#root.activeElement !== null
    const input = { ...this.#choice, ...this.#field, isFieldEmpty: !this.#input?.value }
    const frame = screenFrame(before, view, input, translator, links, Date.now(), this.#parts.offline?.adapt)
    if (this.#parts.isLoading(frame)) return
    this.#frame = frame
    this.#choice.chosenId = frame.chosenId
    if (frame.scene.body !== 'list') this.#choice.isUnchosen = false
    draw(this.#root, [screenTemplate(frame, translator, this.#isLogoBroken ? null : logo)])

    const { situation } = frame.scene
    this.setAttribute('situation', situation.kind)
    this.toggleAttribute('checking', situation.isChecking)
    this.#keepTicking(view.retryAtMs !== null)
    // The user typed into the field, or focused it, before this script ran.
    if (before === null && this.#input?.value) this.#field.fill(this.#input, this.#input.value, false)
    else if (before === null && this.#root.activeElement?.id === 'key') this.#events.onFieldFocus()
    this.#keepText(before, frame)
    if (hadFocus || (before === null && this.autofocus)) keepFocus(this.#root, before, frame)
    if (before !== null && layoutOf(before.scene) !== layoutOf(frame.scene)) fadeIn(this.#root)
  }

  /** Fills a new field with the last attempt's text, and empties it once that text was accepted. */
  #keepText(before: ScreenFrame | null, { view }: ScreenFrame): void {
    const input = this.#input
    const text = this.#session?.heldText ?? ''
    if (input === null || before === null) return
    const isNew = before.scene.body !== 'form'
    const isAccepted = before.view.attempt?.phase === 'running' && view.attempt === null && text === ''
    if (isAccepted || (isNew && text !== '')) this.#field.fill(input, text, false)
  }

  #keepTicking(isWaiting: boolean): void {
    if (isWaiting === (this.#ticking !== undefined)) return
    clearInterval(this.#ticking)
    this.#ticking = isWaiting ? setInterval(() => this.requestUpdate(), 1_000) : undefined
  }

  get #root(): ShadowRoot {
    return this.shadowRoot ?? this.attachShadow({ mode: 'open' })
  }

  get #input(): HTMLInputElement | null {
    return this.#root.querySelector<HTMLInputElement>('#key')
  }

  /** Leaves the screen: fires `latchkey-dismiss`, and closes the activation window unless a listener prevents it. */
  dismiss(): void {
    const event = new Event('latchkey-dismiss', { bubbles: true, composed: true, cancelable: true })
    if (this.dispatchEvent(event)) this.client.closeActivationWindow().catch(noop)
  }

  readonly #events: ScreenEvents = {
    onAction: (action) => {
      if (isScreenAction(this.#actions, action)) this.#actions[action]()
      else if (isSessionAction(this.#session, action)) this.#session?.[action]()
      else if (isLink(this.#appearance?.links, action)) this.#open(action)
      else this.#parts.offline?.act(action, this.#input && this.#field.send(this.#input))
    },
    onLogoError: () => {
      this.#isLogoBroken = true
      this.requestUpdate()
    },
    onSubmit: () => {
      const { primary, situation } = this.#frame?.scene ?? {}
      if (primary && !situation?.isChecking) this.#events.onAction(primary.action)
    },

    onInput: () => {
      this.#session?.dismissClipboardKey()
      if (this.#input !== null) this.#field.input(this.#input)
    },
    onTake: (event, data) => {
      if (this.#input === null || this.#input.readOnly) return
      this.#field.take(event, data, this.#input, (text) => this.#session?.offerKeys(text))
      this.#session?.dismissClipboardKey()
      this.#input.focus()
    },
    onFieldFocus: () => {
      if (this.#input?.value === '') this.#session?.lookAtClipboard()
    },
    onChoose: (id) => {
      this.#choice.chosenId = id
      this.#choice.isUnchosen = false
      this.requestUpdate()
    },
  }

  /** Acts on the chosen entry of the list, or asks the user to choose one. */
  #choose(act: (id: string) => void): void {
    this.#choice.isUnchosen = this.#choice.chosenId === null
    if (this.#choice.chosenId === null) this.requestUpdate()
    else act(this.#choice.chosenId)
  }

  readonly #actions: Readonly<Record<ScreenAction, () => void>> = {
    activate: () => {
      const input = this.#input
      if (input === null) return
      if (this.#frame?.token) this.#session?.activateFromClipboard()
      // What is wrong with the last paste is more useful to the user than "the field is empty".
      else if (input.value === '' && this.#field.pasteProblem !== null) input.focus()
      else this.#session?.activate(this.#field.send(input), this.#field.takesAny)
    },
    'choose-key': () => this.#choose((id) => this.#session?.activateChoice(id)),
    release: () => this.#choose((id) => this.#session?.release(id)),
    continue: () => this.dismiss(),
    offline: () =>
      this.#openOffline((offline) => {
        offline.open((this.#input && this.#field.send(this.#input)) || this.#session?.heldText || '')
      }),
    'remove-token': () => {
      this.#session?.dismissClipboardKey()
      this.#input?.focus()
    },
  }

  #openOffline(begin: (offline: OfflineScreen) => void): void {
    this.#parts.loadOffline().then(
      (offline) => {
        this.#session?.openOffline()
        begin(offline)
      },
      () => this.#session?.showUnexpected(),
    )
  }

  /** @returns whether the menu was open */
  #closeMenu(): boolean {
    const menu = this.#root.querySelector<HTMLElement>(':popover-open')
    menu?.hidePopover()
    return menu !== null
  }

  #open(link: ActivationLink): void {
    this.#closeMenu()
    this.client.openLink(link).catch(noop)
  }

  readonly #onKeydown = (event: KeyboardEvent): void => {
    if (event.isComposing || event.defaultPrevented) return
    const isPasting = event.key.toLowerCase() === 'v' && (event.ctrlKey || event.metaKey)
    const isTyping = event.key.length === 1 && event.key !== ' ' && !event.ctrlKey && !event.metaKey
    // Typing or pasting replaces the key that was found.
    if (this.#frame?.token && (isTyping || isPasting)) this.#input?.focus()
    if (event.key !== 'Escape') return
    event.preventDefault()
    if (this.#closeMenu()) return
    if (this.#session?.view.intent === null) this.dismiss()
    else this.#session?.back()
  }

  readonly #onOnline = (): void => {
    const situation = this.#frame?.scene.situation
    if (situation === undefined || situation.isChecking) return
    // If the service asked for a pause, keep to it.
    const isWaiting = situation.kind === 'no-network' && situation.problem.code !== 'rate-limited'
    if (isWaiting || situation.kind === 'grace-over') this.#session?.retryByItself()
  }

  // The user may be coming back from signing in to a public network.
  readonly #onWindowFocus = (): void => {
    if (this.#frame?.scene.situation.kind === 'no-network') this.#onOnline()
  }
}
