import { html, nothing, type TemplateResult } from 'lit/html.js'
import type { SceneDetail } from '../scene.ts'

/** The facts of a license, line by line. */
export function detailsTemplate(details: readonly SceneDetail[]): TemplateResult | typeof nothing {
  if (details.length === 0) return nothing
  return html`<dl class="details" part="details">
    ${details.map(
      ({ label, value, isCode }) => html`<div part="detail">
        <dt>${label}</dt>
        <dd class=${isCode ? 'code' : nothing}><bdi>${value}</bdi></dd>
      </div>`,
    )}
  </dl>`
}
