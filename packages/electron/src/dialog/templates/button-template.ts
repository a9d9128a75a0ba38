import { html, type TemplateResult } from 'lit/html.js'
import type { SceneAction, SceneButton } from '../scene.ts'

/** Called with what a button does. */
export type Perform = (action: SceneAction) => void

/** A button that is no more than its words. */
export function linkTemplate({ action, label }: SceneButton, perform: Perform): TemplateResult {
  return html`<button class="link" part="link" type="button" data-action=${action} @click=${() => perform(action)}>${label}</button>`
}
