import { html, nothing, type TemplateResult } from 'lit/html.js'
import type { SceneDetail } from '../scene.ts'

/** The facts of a license, line by line. */
export function detailsTemplate(details: readonly SceneDetail[]): TemplateResult | typeof nothing {
  if (details.length === 0) return nothing
  return html`<dl class="group facts" part="details">
    ${details.map(
      ({ label, value, isCode, seats }) => html`<div part="detail">
        <dt>${label}</dt>
        <dd class=${isCode ? 'code' : ''}>
          ${
            seats === null
              ? nothing
              : html`<span class="pips" aria-hidden="true">
                  ${Array.from({ length: seats.limit }, (_, seat) => html`<i class=${seat < seats.used ? 'used' : ''}></i>`)}
                </span>`
          }
          <bdi>${value}</bdi>
        </dd>
      </div>`,
    )}
  </dl>`
}
