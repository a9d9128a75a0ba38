import { html, nothing, type TemplateResult } from 'lit/html.js'
import type { SceneAction } from '../scene.ts'
import type { ScreenFrame } from '../screen-frame.ts'
import type { Translator } from '../translator.ts'
import { buttonsTemplate, footerTemplate, waitingTemplate } from './buttons-template.ts'
import { detailsTemplate } from './details-template.ts'
import { type DevicesEvents, devicesTemplate } from './devices-template.ts'
import { type FormEvents, formTemplate } from './form-template.ts'
import { headerTemplate } from './header-template.ts'
import { noticeTemplate } from './notice-template.ts'

/** What the screen tells the element. */
export interface ScreenEvents extends FormEvents, DevicesEvents {
  readonly onLogoError: () => void
  readonly perform: (action: SceneAction) => void
}

/** The whole screen. @param logo address of the app's logo; `null` for a drawn key */
export function screenTemplate(
  frame: ScreenFrame,
  translator: Translator,
  logo: string | null,
  events: ScreenEvents,
): TemplateResult {
  const { scene } = frame
  return html`<section
    class="card"
    part="card"
    lang=${translator.locale}
    dir=${translator.direction}
    aria-labelledby="heading"
  >
    ${headerTemplate(scene, logo, events.onLogoError)}
    <div class="body" part="body">
      ${noticeTemplate(scene.notice)} ${detailsTemplate(scene.details)} ${bodyTemplate(frame, translator, events)}
      ${buttonsTemplate(scene, events.perform)} ${waitingTemplate(frame, translator, events.perform)}
    </div>
    ${footerTemplate(frame, translator, events.perform)}
    <p class="unseen" role="status" id="announcement"></p>
  </section>`
}

function bodyTemplate(
  frame: ScreenFrame,
  translator: Translator,
  events: ScreenEvents,
): TemplateResult | typeof nothing {
  const { body, situation } = frame.scene
  if (body === 'form') return formTemplate(frame, translator, events)
  if (body === 'none' || situation.kind !== 'no-seat-left') return nothing
  return devicesTemplate(situation.devices, frame, translator, events)
}
