import { html, nothing, type TemplateResult } from 'lit/html.js'
import type { SceneNotice } from '../scene.ts'
import { icon } from './icons.ts'

/** A message set apart from the matter at hand. */
export function noticeTemplate(notice: SceneNotice | null): TemplateResult | typeof nothing {
  if (notice === null) return nothing
  const { tone, text } = notice
  return html`<p class="notice" part="notice" data-tone=${tone ?? nothing}>
    ${icon(tone === 'success' ? 'done' : 'error')}<span>${text}</span>
  </p>`
}
