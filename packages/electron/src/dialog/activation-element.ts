import { type CSSResultGroup, nothing, type PropertyValues, type TemplateResult } from 'lit'
import type { ActivationLink } from '../shared/activation-screen.ts'
import { ActivationProperties } from './activation-properties.ts'
import { type ActivationSession, createActivationSession } from './activation-session.ts'
import { announcementOf } from './announcement.ts'
import { type Appearance, loadAppearance } from './appearance.ts'
import { applyAccent } from './apply-accent.ts'
import { fadeIn } from './fade-in.ts'
import { keepFocus, layoutOf } from './keep-focus.ts'
import { createKeyField } from './key-field.ts'
import type { SceneAction } from './scene.ts'
import { sceneOf } from './scene-of.ts'
import { chosenIn, errorIn, type ScreenFrame } from './screen-frame.ts'
import type { LoadedStrings } from './strings/load-strings.ts'
import { controls } from './styles/controls.ts'
import { layout } from './styles/layout.ts'
import { lists } from './styles/lists.ts'
import { theme } from './styles/theme.ts'
import { type ScreenEvents, screenTemplate } from './templates/screen-template.ts'
import { windowTimers } from './window-timers.ts'
import { within } from './within.ts'

const copiedMs = 3_000
const startMs = 400

/**
 * The activation screen: `<latchkey-activation>`.
 *
 * By itself it shows what `createLicensing` and `openActivationWindow` were told. Inside a window of the app,
 * attributes and properties may say otherwise. Colours, font and corners follow `--latchkey-…` properties.
 *
 * @fires latchkey-dismiss when the user is done or gives up. Its default closes the activation window, if this is one.
 */
export class ActivationElement extends ActivationProperties {
  static override readonly styles: CSSResultGroup = [theme, layout, controls, lists]

  /** Where built-in texts come from; set by whoever defines the element. */
  declare static loadStrings: (locale: string) => Promise<LoadedStrings>

  #session: ActivationSession | null = null
  #appearance: Appearance | null = null
  #frame: ScreenFrame | null = null
  #before: ScreenFrame | null = null
  #chosenId: string | null = null
  #isUnchosen = false
  #isLogoBroken = false
  #isCopied = false
  #hadFocus = false
  #entered = ''
  #dressings = 0
  #ticking: ReturnType<typeof setInterval> | undefined
  readonly #field = createKeyField(() => this.requestUpdate())

  protected override createRenderRoot(): HTMLElement | DocumentFragment {
    // The first picture has done its work; who was quicker than the script keeps what they entered.
    this.#entered = this.shadowRoot?.querySelector('input')?.value ?? ''
    this.shadowRoot?.replaceChildren()
    return super.createRenderRoot()
  }

  override connectedCallback(): void {
    super.connectedCallback()
    this.addEventListener('keydown', this.#onKeydown)
    window.addEventListener('online', this.#onOnline)
    window.addEventListener('focus', this.#onWindowFocus)
    if (this.hasUpdated) this.#begin()
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
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

  /** Asks how to look and speak, and shows it. */
  async #dress(): Promise<void> {
    this.#dressings += 1
    const mine = this.#dressings
    const { appTitle: title, logo, accent, links, locale, strings } = this
    const [appearance] = await Promise.all([
      loadAppearance(
        this.client,
        { title, logo, accent, links, locale, strings },
        ActivationElement.loadStrings,
      ),
      // The first state is a moment away: no need to flash that one waits for it.
      this.#session?.view.state ?? within<unknown>(this.client.ready, startMs, noop),
    ])
    if (mine !== this.#dressings) return
    const { prefilledText } = appearance
    const isFirst = this.#appearance === null
    // From here on the key is in the field and nowhere else.
    this.#appearance = { ...appearance, prefilledText: null }
    const own = getComputedStyle(this).getPropertyValue('--latchkey-accent')
    applyAccent(this, (appearance.accent ?? own).trim())
    this.requestUpdate()
    if (isFirst && prefilledText !== null) await this.#prefill(prefilledText)
    else if (isFirst && this.#entered !== '') await this.#takeOver(this.#entered)
  }

  async #takeOver(text: string): Promise<void> {
    this.#entered = ''
    await this.updateComplete
    if (this.#input !== null) this.#field.fill(this.#input, text, false)
  }

  /** Shows a key that a link brought. Nothing is done with it until the user asks for it. */
  async #prefill(text: string): Promise<void> {
    await this.updateComplete
    if (this.#input === null) this.#session?.enterKey()
    await this.updateComplete
    if (this.#input !== null) this.#field.fill(this.#input, text, true)
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has('client')) this.#begin()
    if (changed.has('logo')) this.#isLogoBroken = false
    if ([...changed.keys()].some((name) => name !== 'theme')) void this.#dress()
    this.#hadFocus = this.shadowRoot?.activeElement != null

    const { view } = this.#session ?? {}
    if (view === undefined || this.#appearance === null) return
    const { translator, links } = this.#appearance
    const scene = sceneOf(view, translator, links, Date.now())
    const { foundKey, isFromLink } = this.#field
    this.#chosenId = chosenIn(scene, this.#chosenId)
    this.#before = this.#frame
    this.#frame = {
      scene,
      view,
      foundKey,
      isFromLink,
      error: errorIn(scene, this.#field, this.#isUnchosen, translator),
      chosenId: this.#chosenId,
      isCopied: this.#isCopied,
    }
  }

  protected override render(): TemplateResult | typeof nothing {
    if (this.#frame === null || this.#appearance === null) return nothing
    const { translator, logo } = this.#appearance
    return screenTemplate(this.#frame, translator, this.#isLogoBroken ? null : logo, this.#events)
  }

  protected override updated(): void {
    const frame = this.#frame
    const before = this.#before
    if (frame === null || this.#appearance === null || this.shadowRoot === null) return
    const { situation } = frame.scene
    this.setAttribute('situation', situation.kind)
    this.toggleAttribute('checking', situation.isChecking)
    this.#keepTicking(frame.view.retryAtMs !== null)
    this.#keepText(before, frame)
    if (this.#hadFocus || (before === null && this.autofocus)) keepFocus(this.shadowRoot, before, frame)
    if (before !== null && layoutOf(before.scene) !== layoutOf(frame.scene)) fadeIn(this.renderRoot)

    const announcement = announcementOf(before, frame, this.#appearance.translator)
    const region = this.shadowRoot.querySelector('#announcement')
    if (announcement !== null && region !== null) region.textContent = announcement
  }

  /** The field starts with what was tried before, and is empty once that was accepted. */
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

  get #input(): HTMLInputElement | null {
    return this.renderRoot.querySelector<HTMLInputElement>('#key')
  }

  /** Leaves the screen: tells whoever shows it, and closes the activation window unless that one objects. */
  dismiss(): void {
    const event = new Event('latchkey-dismiss', { bubbles: true, composed: true, cancelable: true })
    if (this.dispatchEvent(event)) this.client.closeActivationWindow().catch(noop)
  }

  readonly #events: ScreenEvents = {
    perform: (action) => this.#actions[action](),
    onLogoError: () => {
      this.#isLogoBroken = true
      this.requestUpdate()
    },

    onSubmit: (event) => {
      event.preventDefault()
      if (this.#input === null || this.#frame?.scene.situation.isChecking) return
      this.#session?.activate(this.#field.send(this.#input))
    },
    onInput: () => {
      if (this.#input !== null) this.#field.input(this.#input)
    },
    onTake: (event) => {
      if (this.#input !== null) this.#field.take(event, this.#input)
    },
    onFocus: () => {
      if (this.#input?.value === '') this.#session?.lookAtClipboard()
    },
    onOffer: () => this.#session?.activateFromClipboard(),

    onChoose: (deviceId) => {
      this.#chosenId = deviceId
      this.#isUnchosen = false
      this.requestUpdate()
    },
    onRelease: (event) => {
      event.preventDefault()
      if (this.#frame?.scene.situation.isChecking) return
      this.#isUnchosen = this.#chosenId === null
      if (this.#chosenId === null) this.requestUpdate()
      else this.#session?.release(this.#chosenId)
    },
  }

  readonly #actions: Readonly<Record<SceneAction, () => void>> = {
    continue: () => this.dismiss(),
    retry: () => this.#session?.retry(),
    reactivate: () => this.#session?.reactivate(),
    'enter-key': () => this.#session?.enterKey(),
    'stop-waiting': () => this.#session?.stopWaiting(),
    'load-devices': () => this.#session?.loadDevices(),
    'ask-deactivation': () => this.#session?.askDeactivation(),
    deactivate: () => this.#session?.deactivate(),
    back: () => this.#session?.back(),
    'copy-details': () => {
      this.client.copyDiagnosis().then(() => this.#showCopied(), noop)
    },
    buy: () => this.#open('buy'),
    renew: () => this.#open('renew'),
    support: () => this.#open('support'),
  }

  #open(link: ActivationLink): void {
    this.client.openLink(link).catch(noop)
  }

  #showCopied(): void {
    this.#isCopied = true
    this.requestUpdate()
    setTimeout(() => {
      this.#isCopied = false
      this.requestUpdate()
    }, copiedMs)
  }

  readonly #onKeydown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.isComposing || event.defaultPrevented) return
    event.preventDefault()
    if (this.#session?.view.intent === null) this.dismiss()
    else this.#session?.back()
  }

  readonly #onOnline = (): void => {
    const situation = this.#frame?.scene.situation
    if (situation === undefined || situation.isChecking) return
    // A service that asked for patience keeps getting it.
    const isWaiting = situation.kind === 'no-network' && situation.trouble.code !== 'rate-limited'
    if (isWaiting || situation.kind === 'grace-over') this.#session?.retryByItself()
  }

  // The user comes back, from signing in to a public network.
  readonly #onWindowFocus = (): void => {
    if (this.#frame?.scene.situation.kind === 'no-network') this.#onOnline()
  }
}

function noop(): void {}
