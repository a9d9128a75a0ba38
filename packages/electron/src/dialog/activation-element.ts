import {
  type CSSResultGroup,
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  type PropertyValues,
  type TemplateResult,
} from 'lit'
import { licensing } from '../renderer/licensing.ts'
import type { LicensingClient } from '../renderer/licensing-client.ts'
import type { ActivationLink } from '../shared/activation-screen.ts'
import { type ActivationSession, createActivationSession } from './activation-session.ts'
import { type Appearance, loadAppearance } from './appearance.ts'
import { applyAccent } from './apply-accent.ts'
import { createKeyField } from './key-field.ts'
import { focusPlaceOf, type Glance, layoutOf, newsOf } from './news.ts'
import type { Phrasebook } from './phrasebook.ts'
import type { Scene, SceneAction } from './scene.ts'
import { sceneOf } from './scene-of.ts'
import { controls } from './styles/controls.ts'
import { layout } from './styles/layout.ts'
import { lists } from './styles/lists.ts'
import { theme } from './styles/theme.ts'
import { buttonsTemplate, footerTemplate, waitingTemplate } from './templates/buttons-template.ts'
import { detailsTemplate } from './templates/details-template.ts'
import { type DevicesEvents, devicesTemplate } from './templates/devices-template.ts'
import { type FormEvents, formTemplate } from './templates/form-template.ts'
import { headerTemplate } from './templates/header-template.ts'
import { windowTimers } from './window-timers.ts'

const copiedMs = 3_000
const startMs = 400
const wishes = ['client', 'appTitle', 'logo', 'accent', 'links', 'locale', 'strings'] as const

/**
 * The activation screen: `<latchkey-activation>`.
 *
 * By itself it shows what `createLicensing` and `openActivationWindow` were told. Inside a window of the app,
 * attributes and properties may say otherwise. Colours, font and corners follow `--latchkey-…` properties.
 *
 * @fires latchkey-dismiss when the user is done or gives up. Its default closes the activation window, if this is one.
 */
export class ActivationElement extends LitElement {
  static override readonly properties: PropertyDeclarations = {
    appTitle: { attribute: 'app-title' },
    logo: {},
    accent: {},
    links: { converter: (value: string | null) => value?.split(/\s+/).filter(isLink) ?? null },
    locale: {},
    strings: { attribute: false },
    theme: { reflect: true },
    client: { attribute: false },
  }

  static override readonly styles: CSSResultGroup = [theme, layout, controls, lists]

  /** Name of the app. @default what the main process says */
  declare appTitle: string | null
  /** Address of the app's logo. @default what the main process says, or a drawn key */
  declare logo: string | null
  /** CSS colour of buttons and focus; the text on it adapts. @default what the main process says */
  declare accent: string | null
  /** Which configured links are offered; as an attribute, their names with spaces between. */
  declare links: readonly ActivationLink[] | null
  /** BCP 47 locale of texts, dates and numbers. @default what the main process says */
  declare locale: string | null
  /** Texts that replace the built-in ones, by key. */
  declare strings: Readonly<Record<string, string>> | null
  /** `light` or `dark`. @default what the system says */
  declare theme: string | null
  /** Where licensing is done. @default the `licensing` of this window */
  declare client: LicensingClient

  #session: ActivationSession | null = null
  #appearance: Appearance | null = null
  #glance: Glance | null = null
  #before: Glance | null = null
  #chosenId: string | null = null
  #isUnchosen = false
  #isLogoBroken = false
  #isCopied = false
  #hadFocus = false
  #ticking: ReturnType<typeof setInterval> | undefined
  readonly #field = createKeyField(() => this.requestUpdate())

  constructor() {
    super()
    this.appTitle = null
    this.logo = null
    this.accent = null
    this.links = null
    this.locale = null
    this.strings = null
    this.theme = null
    this.client = licensing
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

  async #dress(): Promise<void> {
    const { appTitle: title, logo, accent, links, locale, strings } = this
    const [appearance] = await Promise.all([
      loadAppearance(this.client, { title, logo, accent, links, locale, strings }),
      // The first state is a moment away: no need to flash that one waits for it.
      Promise.race([this.client.ready.catch(noop), pause(startMs)]),
    ])
    const isNewLink = appearance.prefilledText !== (this.#appearance?.prefilledText ?? null)
    this.#appearance = appearance
    applyAccent(this, appearance.accent)
    this.requestUpdate()
    await this.updateComplete
    const input = this.#input
    if (isNewLink && appearance.prefilledText !== null && input !== null) {
      this.#field.fill(input, appearance.prefilledText, true)
    }
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has('client')) this.#begin()
    if (changed.has('logo')) this.#isLogoBroken = false
    if (wishes.some((name) => changed.has(name))) void this.#dress()
    this.#hadFocus = this.shadowRoot?.activeElement != null
    this.#look()
  }

  /** Takes in what there is to show. */
  #look(): void {
    const { view } = this.#session ?? {}
    if (view === undefined || this.#appearance === null) return
    const { phrases, links } = this.#appearance
    const scene = sceneOf(view, phrases, links, Date.now())
    this.#before = this.#glance
    this.#glance = {
      scene,
      view,
      foundKey: this.#field.foundKey,
      error: this.#errorIn(scene, phrases),
      isCopied: this.#isCopied,
    }
  }

  #errorIn({ situation }: Scene, phrases: Phrasebook): string | null {
    if (this.#field.pasteProblem !== null) return phrases.problem(this.#field.pasteProblem)
    if (situation.kind === 'key-trouble' && !this.#field.isEdited)
      return phrases.problem(situation.trouble.code)
    if (situation.kind !== 'no-seat-left' || situation.devices.phase !== 'ready') return null
    if (this.#isUnchosen) return phrases.text('chooseDevice')
    return situation.devices.trouble === null ? null : phrases.problem(situation.devices.trouble.code)
  }

  protected override render(): TemplateResult | typeof nothing {
    if (this.#glance === null || this.#appearance === null) return nothing
    const { phrases, logo } = this.#appearance
    const { scene } = this.#glance
    this.setAttribute('situation', scene.situation.kind)
    this.toggleAttribute('checking', scene.situation.isChecking)
    return html`<section
      class="card"
      part="card"
      lang=${phrases.locale}
      dir=${phrases.direction}
      aria-labelledby="heading"
    >
      ${headerTemplate(scene, this.#isLogoBroken ? null : logo, this.#onLogoError)}
      <div class="body" part="body">
        ${detailsTemplate(scene.details)} ${this.#bodyTemplate(this.#glance, phrases)}
        ${buttonsTemplate(scene, phrases, this.#perform)}
        ${waitingTemplate(this.#glance, phrases, this.#perform)}
      </div>
      ${footerTemplate(this.#glance, phrases, this.#perform)}
      <p class="unseen" role="status" id="news"></p>
    </section>`
  }

  #bodyTemplate(
    { scene, view, error, foundKey }: Glance,
    phrases: Phrasebook,
  ): TemplateResult | typeof nothing {
    const { situation } = scene
    const { isChecking } = situation
    if (scene.body === 'form') {
      const { clipboardKey } = view
      const { isFromLink } = this.#field
      return formTemplate(
        { isChecking, error, foundKey, clipboardKey, isFromLink },
        phrases,
        this.#formEvents,
      )
    }
    if (situation.kind !== 'no-seat-left') return nothing
    const list = situation.devices
    return devicesTemplate(
      { list, chosenId: this.#chosenId, isChecking, error },
      phrases,
      this.#devicesEvents,
    )
  }

  protected override updated(): void {
    const { view, scene } = this.#glance ?? {}
    if (this.#glance === null || view === undefined || scene === undefined || this.#appearance === null)
      return
    const before = this.#before
    this.#keepTicking(view.retryAtMs !== null)
    this.#keepText(before)
    this.#keepFocus(before, this.#glance)

    const news = newsOf(before, this.#glance, this.#appearance.phrases)
    const region = this.renderRoot.querySelector('#news')
    if (news !== null && region !== null) region.textContent = news
  }

  /** The field starts with what was tried before, and is empty once that was accepted. */
  #keepText(before: Glance | null): void {
    const input = this.#input
    if (input === null || this.#session === null) return
    const { heldText } = this.#session
    const isNewField = before === null || before.scene.body !== 'form'
    const isAccepted = before?.view.attempt?.phase === 'running' && this.#session.view.attempt === null
    if (isNewField ? heldText !== '' : isAccepted && heldText === '') this.#field.fill(input, heldText, false)
  }

  #keepFocus(before: Glance | null, { scene, error }: Glance): void {
    const isMine = this.#hadFocus || (before === null && this.autofocus)
    if (!isMine) return
    const isRefused = error !== null && error !== before?.error && !this.#field.isEdited
    const isLost = this.shadowRoot?.activeElement == null
    if (before !== null && layoutOf(before.scene) === layoutOf(scene) && !isRefused && !isLost) return
    const places = { key: '#key', primary: '.buttons .primary', heading: '#heading' } as const
    const place = isRefused && scene.body === 'devices' ? '.device input' : places[focusPlaceOf(scene)]
    this.renderRoot.querySelector<HTMLElement>(place)?.focus()
    if (isRefused) this.#input?.select()
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

  readonly #formEvents: FormEvents = {
    onSubmit: (event) => {
      event.preventDefault()
      const input = this.#input
      if (input === null || this.#glance?.scene.situation.isChecking) return
      this.#session?.activate(this.#field.send(input))
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
  }

  readonly #devicesEvents: DevicesEvents = {
    onChoose: (deviceId) => {
      this.#chosenId = deviceId
      this.#isUnchosen = false
      this.requestUpdate()
    },
    onRelease: (event) => {
      event.preventDefault()
      if (this.#glance?.scene.situation.isChecking) return
      this.#isUnchosen = this.#chosenId === null
      if (this.#chosenId !== null) this.#session?.release(this.#chosenId)
      this.requestUpdate()
    },
    onReload: () => this.#session?.loadDevices(),
  }

  readonly #perform = (action: SceneAction): void => this.#actions[action]()

  readonly #actions: Readonly<Record<SceneAction, () => void>> = {
    continue: () => this.dismiss(),
    retry: () => this.#session?.retry(),
    'enter-key': () => this.#session?.enterKey(),
    'stop-waiting': () => this.#session?.stopWaiting(),
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

  readonly #onLogoError = (): void => {
    this.#isLogoBroken = true
    this.requestUpdate()
  }

  readonly #onKeydown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.isComposing || event.defaultPrevented) return
    event.preventDefault()
    if (this.#session?.view.intent === null) this.dismiss()
    else this.#session?.back()
  }

  readonly #onOnline = (): void => {
    const { view, scene } = this.#glance ?? {}
    const isWaiting = view?.retryAtMs != null || scene?.situation.kind === 'grace-over'
    if (isWaiting) this.#session?.retry()
  }

  // A link opened meanwhile brings its key along.
  readonly #onWindowFocus = (): void => {
    void this.#dress()
  }
}

function noop(): void {}

function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs))
}

function isLink(name: string): name is ActivationLink {
  return name === 'buy' || name === 'renew' || name === 'support'
}
