import { html, nothing, type TemplateResult } from 'lit/html.js'
import type { Glance } from '../glance.ts'
import type { Phrasebook } from '../phrasebook.ts'
import { icon } from './icons.ts'
import { submitTemplate } from './submit-template.ts'

/** What the form tells the element. */
export interface FormEvents {
  readonly onSubmit: (event: SubmitEvent) => void
  readonly onInput: () => void
  readonly onTake: (event: ClipboardEvent | DragEvent) => void
  readonly onFocus: () => void
  readonly onOffer: () => void
}

/** Field and button for a license key. The field keeps its own text: it is read when the form is sent. */
export function formTemplate(glance: Glance, phrases: Phrasebook, events: FormEvents): TemplateResult {
  const { isChecking } = glance.scene.situation
  return html`<form part="form" novalidate @submit=${events.onSubmit}>
    <div class="field">
      <label for="key" part="label">${phrases.text('keyLabel')}</label>
      <input
        id="key"
        part="field"
        type="text"
        dir="ltr"
        autocomplete="off"
        spellcheck="false"
        placeholder="xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"
        aria-describedby="hint"
        aria-invalid=${glance.error !== null}
        ?readonly=${isChecking}
        @input=${events.onInput}
        @paste=${events.onTake}
        @drop=${events.onTake}
        @focus=${events.onFocus}
      />
      <div id="hint" class="hint-place">${hintTemplate(glance, phrases, events)}</div>
    </div>
    ${submitTemplate(phrases.text('activate'), glance.scene)}
  </form>`
}

function hintTemplate(
  { error, foundKey, isFromLink, view, scene }: Glance,
  phrases: Phrasebook,
  { onOffer }: FormEvents,
): TemplateResult | typeof nothing {
  if (error !== null) return errorTemplate(error)
  if (foundKey !== null) {
    return html`<p class="hint found" part="found-key">
      ${icon('done')}
      <span>
        ${phrases.text('keyFound', { key: foundKey })} ${isFromLink ? phrases.text('fromLink') : nothing}
      </span>
    </p>`
  }
  if (view.clipboardKey === null || scene.situation.isChecking) return nothing
  return html`<button class="offer" part="button clipboard-button" type="button" @click=${onOffer}>
    ${icon('clipboard')}<span>${phrases.text('useClipboard', { key: view.clipboardKey })}</span>
  </button>`
}

/** A sentence about what was entered or chosen. */
export function errorTemplate(error: string): TemplateResult {
  return html`<p class="hint error" part="error">${icon('error')}<span>${error}</span></p>`
}
