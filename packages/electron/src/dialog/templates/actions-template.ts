import { html, nothing, type TemplateResult } from 'lit/html.js'
import type { ScreenFrame } from '../screen-frame.ts'
import type { Translator } from '../translator.ts'
import type { Perform } from './button-template.ts'

/** The main button and the other way beside it. The main one sends the form, and keeps the focus while it is busy. */
export function actionsTemplate(
  { scene: { primary, other, isDestructive, busyLabel, situation }, isCopied }: ScreenFrame,
  { text }: Translator,
  perform: Perform,
): TemplateResult | typeof nothing {
  if (primary === null) return nothing
  const isBusy = situation.isChecking
  return html`<div class="actions" part="buttons">
    ${
      other === null
        ? nothing
        : html`<button part="button" type="button" data-action=${other.action} @click=${() => perform(other.action)}>
            ${isCopied && other.action === 'copy-details' ? text('copied') : other.label}
          </button>`
    }
    <button
      class=${isDestructive ? 'destructive' : 'primary'}
      part="button primary-button"
      type="submit"
      data-action=${primary.action}
      aria-disabled=${isBusy}
    >
      ${isBusy ? html`<span class="spinner" part="spinner"></span>${busyLabel}` : primary.label}
    </button>
  </div>`
}
