import { html, nothing, type TemplateResult } from 'lit'
import type { Phrasebook } from '../phrasebook.ts'
import { icon } from './icons.ts'
import { submitTemplate } from './submit-template.ts'

/** What the form shows beside its words. */
export interface FormModel {
  readonly isChecking: boolean
  /** Sentence about what was entered; `null` when there is nothing wrong with it. */
  readonly error: string | null
  /** The key found in the field, masked. */
  readonly foundKey: string | null
  /** The key on the clipboard, masked. */
  readonly clipboardKey: string | null
  readonly isFromLink: boolean
}

/** What the form tells the element. */
export interface FormEvents {
  readonly onSubmit: (event: SubmitEvent) => void
  readonly onInput: () => void
  readonly onTake: (event: ClipboardEvent | DragEvent) => void
  readonly onFocus: () => void
  readonly onOffer: () => void
}

/** Field and button for a license key. The field keeps its own text: it is read when the form is sent. */
export function formTemplate(model: FormModel, phrases: Phrasebook, events: FormEvents): TemplateResult {
  const { isChecking, error } = model
  return html`<form part="form" novalidate @submit=${events.onSubmit}>
    <div class="field">
      <label for="key" part="label">${phrases.text('keyLabel')}</label>
      <input
        id="key"
        part="field"
        type="text"
        dir="ltr"
        autocomplete="off"
        autocapitalize="none"
        spellcheck="false"
        placeholder="xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"
        aria-describedby="hint"
        aria-invalid=${error === null ? 'false' : 'true'}
        ?readonly=${isChecking}
        @input=${events.onInput}
        @paste=${events.onTake}
        @drop=${events.onTake}
        @focus=${events.onFocus}
      />
      <div id="hint">${hint(model, phrases, events)}</div>
    </div>
    ${submitTemplate(phrases.text('activate'), isChecking, phrases)}
  </form>`
}

function hint(model: FormModel, phrases: Phrasebook, { onOffer }: FormEvents): TemplateResult {
  const { error, foundKey, clipboardKey, isChecking, isFromLink } = model
  if (error !== null)
    return html`<p class="hint error" part="error">${icon('error')}<span>${error}</span></p>`
  if (foundKey !== null) {
    return html`<p class="hint found" part="found-key">
      ${icon('done')}<span>${phrases.text('keyFound', { key: foundKey })}${isFromLink ? html`<br />${phrases.text('fromLink')}` : nothing}</span>
    </p>`
  }
  if (clipboardKey !== null && !isChecking) {
    return html`<button class="offer" part="button clipboard-button" type="button" @click=${onOffer}>
      ${icon('clipboard')}<span>${phrases.text('useClipboard', { key: clipboardKey })}</span>
    </button>`
  }
  return html`<p class="hint"></p>`
}
