import { html, nothing, type TemplateResult } from 'lit/html.js'
import type { ScreenFrame } from '../screen-frame.ts'
import type { Translator } from '../translator.ts'
import { icon } from './icons.ts'

/** What the field tells the element. */
export interface FieldEvents {
  readonly onInput: () => void
  readonly onTake: (event: ClipboardEvent | DragEvent) => void
  readonly onFocus: () => void
  readonly onRemoveToken: () => void
}

/** The field for a license key. It keeps its own text: it is read when the form is sent. */
export function fieldTemplate(
  { scene, hint, token }: ScreenFrame,
  { text }: Translator,
  events: FieldEvents,
): TemplateResult {
  const { isChecking } = scene.situation
  return html`<label class="label" for="key" part="label">${text('keyLabel')}</label>
    <div class="box" part="field" @drop=${events.onTake}>
      ${
        token === null
          ? nothing
          : html`<span class="token" part="token">
              ${icon('clipboard')}<bdi dir="ltr">${token}</bdi>
              <button
                type="button"
                aria-label=${text('useOtherKey')}
                ?disabled=${isChecking}
                @click=${events.onRemoveToken}
              >
                ${icon('close')}
              </button>
            </span>`
      }
      <input
        id="key"
        type="text"
        dir="ltr"
        autocomplete="off"
        spellcheck="false"
        aria-describedby="hint"
        aria-invalid=${hint.tone === 'danger'}
        ?readonly=${isChecking}
        @input=${events.onInput}
        @focus=${events.onFocus}
      />
    </div>`
}
