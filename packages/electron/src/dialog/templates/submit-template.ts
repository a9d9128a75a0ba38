import { html, type TemplateResult } from 'lit'
import type { Phrasebook } from '../phrasebook.ts'

/** The button that sends a form. While an answer is awaited it keeps the focus and does nothing. */
export function submitTemplate(label: string, isChecking: boolean, phrases: Phrasebook): TemplateResult {
  return html`<button
    class="primary"
    part="button primary-button"
    type="submit"
    aria-disabled=${isChecking ? 'true' : 'false'}
  >
    ${isChecking ? busyTemplate(phrases) : label}
  </button>`
}

/** What a button shows instead of its label while an answer is awaited. */
export function busyTemplate(phrases: Phrasebook): TemplateResult {
  return html`<span class="spinner" part="spinner"></span>${phrases.text('checking')}`
}
