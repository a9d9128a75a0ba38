import { html, nothing, type TemplateResult } from 'lit/html.js'
import type { Glance } from '../glance.ts'
import type { Phrasebook } from '../phrasebook.ts'
import type { SceneAction } from '../scene.ts'
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
  glance: Glance,
  phrases: Phrasebook,
  logo: string | null,
  events: ScreenEvents,
): TemplateResult {
  const { scene } = glance
  return html`<section
    class="card"
    part="card"
    lang=${phrases.locale}
    dir=${phrases.direction}
    aria-labelledby="heading"
  >
    ${headerTemplate(scene, logo, events.onLogoError)}
    <div class="body" part="body">
      ${noticeTemplate(scene.notice)} ${detailsTemplate(scene.details)} ${bodyTemplate(glance, phrases, events)}
      ${buttonsTemplate(scene, events.perform)} ${waitingTemplate(glance, phrases, events.perform)}
    </div>
    ${footerTemplate(glance, phrases, events.perform)}
    <p class="unseen" role="status" id="news"></p>
  </section>`
}

function bodyTemplate(
  glance: Glance,
  phrases: Phrasebook,
  events: ScreenEvents,
): TemplateResult | typeof nothing {
  const { body, situation } = glance.scene
  if (body === 'form') return formTemplate(glance, phrases, events)
  if (body === 'none' || situation.kind !== 'no-seat-left') return nothing
  return devicesTemplate(situation.devices, glance, phrases, events)
}
