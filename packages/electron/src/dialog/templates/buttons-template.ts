import { html, nothing, type TemplateResult } from 'lit/html.js'
import type { Scene, SceneAction, SceneButton } from '../scene.ts'
import type { ScreenFrame } from '../screen-frame.ts'
import type { Translator } from '../translator.ts'
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
  { view, scene }: ScreenFrame,
  translator: Translator,
  perform: Perform,
): TemplateResult | typeof nothing {
  const { isSlow, retryAtMs } = view
  const isLong = isSlow && scene.situation.isChecking
  if (!isLong && retryAtMs === null) return nothing
  const seconds = Math.max(1, Math.ceil(((retryAtMs ?? 0) - Date.now()) / 1_000))
  return html`<p class="status" part="status">
    ${
      isLong
        ? [
            translator.text('takingLong'),
            linkTemplate({ action: 'stop-waiting', label: translator.text('stopWaiting') }, perform),
          ]
        : translator.text('nextTry', { time: translator.seconds(seconds) })
    }
  </p>`
}

/** Links and the support report, at the foot of the screen. */
export function footerTemplate(
  { scene, isCopied }: ScreenFrame,
  translator: Translator,
  perform: Perform,
): TemplateResult {
  return html`<footer part="footer">
    ${scene.footer.map(({ action, label }) => {
      const isDone = action === 'copy-details' && isCopied
      return linkTemplate({ action, label: isDone ? translator.text('copied') : label }, perform)
    })}
  </footer>`
}

function linkTemplate({ action, label }: SceneButton, perform: Perform): TemplateResult {
  return html`<button class="link" part="link" type="button" data-action=${action} @click=${() => perform(action)}>
    ${label}
  </button>`
}
