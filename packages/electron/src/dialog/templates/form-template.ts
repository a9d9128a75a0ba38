import { html, nothing, type TemplateResult } from 'lit/html.js'
import type { ScreenFrame } from '../screen-frame.ts'
import type { Translator } from '../translator.ts'
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
export function formTemplate(frame: ScreenFrame, translator: Translator, events: FormEvents): TemplateResult {
  const { isChecking } = frame.scene.situation
  return html`<form part="form" novalidate @submit=${events.onSubmit}>
    <div class="field">
      <label for="key" part="label">${translator.text('keyLabel')}</label>
      <input
        id="key"
        part="field"
        type="text"
        dir="ltr"
        autocomplete="off"
        spellcheck="false"
        placeholder="xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"
        aria-describedby="hint"
        aria-invalid=${frame.error !== null}
        ?readonly=${isChecking}
        @input=${events.onInput}
        @paste=${events.onTake}
        @drop=${events.onTake}
        @focus=${events.onFocus}
      />
      <div id="hint" class="hint-place">${hintTemplate(frame, translator, events)}</div>
    </div>
    ${submitTemplate(translator.text('activate'), frame.scene)}
  </form>`
}

function hintTemplate(
  { error, foundKey, isFromLink, view, scene }: ScreenFrame,
  translator: Translator,
  { onOffer }: FormEvents,
): TemplateResult | typeof nothing {
  if (error !== null) return errorTemplate(error)
  if (foundKey !== null) {
    return html`<p class="hint found" part="found-key">
      ${icon('done')}
      <span>
        ${translator.text('keyFound', { key: foundKey })} ${isFromLink ? translator.text('fromLink') : nothing}
      </span>
    </p>`
  }
  if (view.clipboardKey === null || scene.situation.isChecking) return nothing
  return html`<button class="offer" part="button clipboard-button" type="button" @click=${onOffer}>
    ${icon('clipboard')}<span>${translator.text('useClipboard', { key: view.clipboardKey })}</span>
  </button>`
}

/** A sentence about what was entered or chosen. */
export function errorTemplate(error: string): TemplateResult {
  return html`<p class="hint error" part="error">${icon('error')}<span>${error}</span></p>`
}
