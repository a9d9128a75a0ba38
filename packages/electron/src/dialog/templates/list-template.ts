import { html, type TemplateResult } from 'lit/html.js'
import type { Scene } from '../scene.ts'

/** What a list tells the element. */
export interface ListEvents {
  readonly onChoose: (id: string) => void
}

/** Entries of which one can be chosen. */
export function listTemplate(
  { rows, listName }: Scene,
  chosenId: string | null,
  { onChoose }: ListEvents,
): TemplateResult {
  return html`<fieldset aria-describedby="hint">
    <legend class="unseen">${listName}</legend>
    <div class="group">
      ${
        rows === null
          ? html`<div class="loading"><span class="spinner" part="spinner"></span></div>`
          : html`<div class="rows" part="devices">
              ${rows.map(
                ({ id, label, detail, isCode }) => html`<label class="row" part="device">
                  <input type="radio" name="row" value=${id} .checked=${id === chosenId} @change=${() => onChoose(id)} />
                  <span>
                    <b class=${isCode ? 'code' : ''}><bdi>${label}</bdi></b>
                    <small><bdi>${detail}</bdi></small>
                  </span>
                </label>`,
              )}
            </div>`
      }
    </div>
  </fieldset>`
}
