import { type LicensingState, licensing } from '@latchkey/electron/renderer'
import { html, nothing, render, type TemplateResult } from 'lit'
import { icon } from './icon.ts'
import {
  endText,
  lastCheckText,
  renewalText,
  seatsText,
  statusText,
  storageTexts,
  updateText,
} from './license-texts.ts'

/** Shows the license below the notes, keeps it up to date, and lets the user deactivate the device. */
export function mountLicensePanel(root: HTMLElement): void {
  let isOpen = false
  let isConfirming = false
  let update = ''

  const show = () => {
    const state = licensing.getSnapshot()
    if (state) render(view(state), root)
  }
  const dialog = () => root.querySelector('dialog')
  const open = () => {
    isOpen = true
    show()
    dialog()?.showModal()
  }
  const closed = () => {
    isOpen = false
    confirm(false)
  }
  const confirm = (isAsked: boolean) => {
    isConfirming = isAsked
    show()
    // The button that had the focus no longer exists.
    if (isAsked) root.querySelector<HTMLElement>('.confirmation button')?.focus()
  }

  async function findUpdate(): Promise<void> {
    const found = await window.notebook.findUpdate()
    update = found.ok ? updateText(found.value) : found.message
    show()
  }

  async function deactivate(): Promise<void> {
    isConfirming = false
    // The state shows the result. The main process decides whether the app asks for a key again.
    const result = await licensing.deactivate()
    if (result.ok) dialog()?.close()
  }

  function view(state: LicensingState): TemplateResult {
    const isQuiet =
      state.status === 'active' && !state.license?.endsSoon && renewalText(state, Date.now()) === null
    const mood = state.entitled ? (isQuiet ? 'good' : 'warning') : 'bad'
    return html`
      <button class="license-line" data-mood=${mood} @click=${open}>
        <span class="dot"></span><span class="words">${statusText(state)}</span>
      </button>
      ${state.entitled ? nothing : lockedBanner()}
      <dialog class="license" aria-labelledby="license-heading" @close=${closed}>
        ${isOpen ? details(state, mood) : nothing}
      </dialog>
    `
  }

  /** The content of the dialog, which the page doesn't need while it starts. */
  function details(state: LicensingState, mood: string): TemplateResult {
    const renewal = renewalText(state, Date.now())
    const seats = seatsText(state)
    return html`
      <header>
        <h2 id="license-heading">License</h2>
        <button class="icon-button" aria-label="Close" @click=${() => dialog()?.close()}>${icon('cross')}</button>
      </header>
      <dl>
        ${row('Status', 'status', html`<span class="mood" data-mood=${mood}>${statusText(state)}</span>`)}
        ${row('License key', 'key', state.license?.maskedKey ?? 'none')}
        ${row('This device', 'device', state.device?.label ?? 'not identified yet')}
        ${state.license?.licensee ? row('Licensed to', 'licensee', state.license.licensee) : nothing}
        ${seats === null ? nothing : row('Devices', 'seats', seats)}
        ${row('Ends', 'end', endText(state))}
        ${row('Last check', 'checked', lastCheckText(state))}
        ${row('Stored', 'storage', storageTexts[state.storage])}
      </dl>
      ${state.problem ? html`<p class="problem" role="status">${state.problem.message}</p>` : nothing}
      ${renewal ? html`<p class="renewal" role="status">${renewal} ${renewButton()}</p>` : nothing}
      ${update ? html`<p class="update" role="status">${update}</p>` : nothing}
      ${isConfirming ? confirmation() : actions(state)}
    `
  }

  function actions(state: LicensingState): TemplateResult {
    const isBusy = state.activity !== 'idle'
    return html`
      <footer>
        ${
          state.license
            ? html`
                <button class="quiet danger" ?disabled=${isBusy} @click=${() => confirm(true)}>
                  Deactivate this device
                </button>
                <button class="quiet" ?disabled=${isBusy} @click=${() => void licensing.validate()}>
                  ${state.activity === 'validating' ? 'Checking…' : 'Check now'}
                </button>
                <button class="quiet" @click=${() => void findUpdate()}>Check for updates</button>
              `
            : html`<button class="primary" @click=${() => void licensing.openActivationWindow()}>Activate…</button>`
        }
      </footer>
    `
  }

  function confirmation(): TemplateResult {
    return html`
      <footer class="confirmation">
        <p>This frees the seat of this device. Your notes stay here, read-only until you activate again.</p>
        <button class="quiet" @click=${() => confirm(false)}>Cancel</button>
        <button class="primary danger" @click=${() => void deactivate()}>Deactivate</button>
      </footer>
    `
  }

  licensing.subscribe(show)
  show()
}

function lockedBanner(): TemplateResult {
  return html`
    <div class="locked-banner" role="status">
      ${icon('lock')}
      <span>Your notes can be read, but not changed, until Inkwell is activated.</span>
      <button class="primary" @click=${() => void licensing.openActivationWindow()}>Activate…</button>
    </div>
  `
}

function renewButton(): TemplateResult {
  return html`<button class="quiet" @click=${() => void licensing.openActivationWindow()}>Renew…</button>`
}

function row(term: string, name: string, value: string | TemplateResult): TemplateResult {
  return html`<div><dt>${term}</dt><dd data-field=${name}>${value}</dd></div>`
}
