import { html, type TemplateResult } from 'lit/html.js'
import type { Scene } from '../scene.ts'

/** The button that sends a form. While an answer is awaited it keeps the focus and does nothing. */
export function submitTemplate(label: string, scene: Scene): TemplateResult {
  return html`<button
    class="primary"
    part="button primary-button"
    type="submit"
    aria-disabled=${scene.situation.isChecking}
  >
    ${labelTemplate(label, scene)}
  </button>`
}

/** A main button's label, or that it is at work. */
export function labelTemplate(label: string, { situation, busyLabel }: Scene): TemplateResult | string {
  return situation.isChecking ? html`<span class="spinner" part="spinner"></span>${busyLabel}` : label
}
