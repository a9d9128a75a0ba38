import { html, nothing, type TemplateResult } from 'lit'
import type { Glance } from '../glance.ts'
import type { Phrasebook } from '../phrasebook.ts'
import type { Scene, SceneAction } from '../scene.ts'
import { labelTemplate } from './submit-template.ts'

type Perform = (action: SceneAction) => void

/** The main button and those beside it. */
export function buttonsTemplate(scene: Scene, perform: Perform): TemplateResult | typeof nothing {
  const { primary, others, situation } = scene
  if (primary === null && others.length === 0) return nothing
  const isBusy = situation.isChecking
  return html`<div class="buttons" part="buttons">
    ${
      primary === null
        ? nothing
        : html`<button
            class="primary"
            part="button primary-button"
            type="button"
            data-action=${primary.action}
            aria-disabled=${isBusy}
            @click=${() => !isBusy && perform(primary.action)}
          >
            ${labelTemplate(primary.label, scene)}
          </button>`
    }
    ${others.map(
      ({ action, label }) =>
        html`<button part="button" type="button" data-action=${action} @click=${() => perform(action)}>${label}</button>`,
    )}
  </div>`
}

/** How long the wait is, and a way out of it. */
export function waitingTemplate(
  { view, scene }: Glance,
  phrases: Phrasebook,
  perform: Perform,
): TemplateResult | typeof nothing {
  if (view.isSlow && scene.situation.isChecking) {
    return html`<p class="status" part="status">
      ${phrases.text('takingLong')}
      <button class="link" part="link" type="button" @click=${() => perform('stop-waiting')}>
        ${phrases.text('stopWaiting')}
      </button>
    </p>`
  }
  if (view.retryAtMs === null) return nothing
  const seconds = Math.max(1, Math.ceil((view.retryAtMs - Date.now()) / 1_000))
  return html`<p class="status" part="status">
    ${phrases.text('nextTry', { time: phrases.seconds(seconds) })}
  </p>`
}

/** Links and the support report, at the foot of the screen. */
export function footerTemplate(
  { scene, isCopied }: Glance,
  phrases: Phrasebook,
  perform: Perform,
): TemplateResult {
  return html`<footer part="footer">
    ${scene.footer.map(
      ({ action, label }) =>
        html`<button class="link" part="link" type="button" data-action=${action} @click=${() => perform(action)}>
          ${action === 'copy-details' && isCopied ? phrases.text('copied') : label}
        </button>`,
    )}
  </footer>`
}
