import { html, nothing, type TemplateResult } from 'lit/html.js'
import type { Hint } from '../hint-of.ts'
import type { Perform } from './button-template.ts'
import { icon } from './icons.ts'

const parts = { danger: 'error', warning: 'hint', success: 'found-key' } as const

/** The line below the field, always two lines high, or below a list, where one line is enough. */
export function hintTemplate(
  { tone, sentences, action }: Hint,
  isOneLine: boolean,
  perform: Perform,
): TemplateResult {
  return html`<p
    id="hint"
    class=${isOneLine ? 'slot one' : 'slot'}
    part=${tone === null ? 'hint' : parts[tone]}
    data-tone=${tone ?? nothing}
  >
    ${tone === null ? nothing : icon(tone === 'success' ? 'done' : 'error')}
    <span>
      ${sentences.map((sentence, index) => [index > 0 ? html`<br />` : nothing, sentence])}
      ${
        action === null
          ? nothing
          : html`<button type="button" data-action=${action.action} @click=${() => perform(action.action)}>${action.label}</button>`
      }
    </span>
  </p>`
}
