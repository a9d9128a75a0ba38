import { html, nothing, type TemplateResult } from 'lit/html.js'
import type { ScreenFrame } from '../screen-frame.ts'
import type { Translator } from '../translator.ts'
import { actionsTemplate } from './actions-template.ts'
import type { Perform } from './button-template.ts'
import { detailsTemplate } from './details-template.ts'
import { type FieldEvents, fieldTemplate } from './field-template.ts'
import { footerTemplate } from './footer-template.ts'
import { headerTemplate } from './header-template.ts'
import { hintTemplate } from './hint-template.ts'
import { type ListEvents, listTemplate } from './list-template.ts'
import { noticeTemplate } from './notice-template.ts'

/** What the screen tells the element. */
export interface ScreenEvents extends FieldEvents, ListEvents {
  readonly onLogoError: () => void
  readonly onSubmit: (event: SubmitEvent) => void
  readonly perform: Perform
}

/** The whole screen. @param logo address of the app's logo; `null` for a drawn key */
export function screenTemplate(
  frame: ScreenFrame,
  translator: Translator,
  logo: string | null,
  events: ScreenEvents,
): TemplateResult {
  const { scene, hint, chosenId } = frame
  const { body, code, isLit, situation } = scene
  const isKeyList = situation.kind === 'choose-key'
  return html`<section
    class=${['card', isLit ? '' : 'unlit', body === 'list' ? 'compact' : ''].join(' ')}
    part="card"
    lang=${translator.locale}
    dir=${translator.direction}
    aria-labelledby="heading"
  >
    ${headerTemplate(scene, logo, statusOf(frame, translator), events.onLogoError)}
    <form class="body" part="body form" novalidate @submit=${events.onSubmit} @paste=${events.onTake}>
      ${noticeTemplate(scene.notice)} ${detailsTemplate(scene.details)}
      ${code === null ? nothing : html`<code class="selectable" part="code">${code}</code>`}
      ${
        body === 'none'
          ? nothing
          : [
              body === 'form'
                ? fieldTemplate(frame, translator, events)
                : listTemplate(scene, chosenId, events),
              hintTemplate(hint, body === 'list' && !isKeyList, events.perform),
            ]
      }
      ${actionsTemplate(frame, translator, events.perform)}
    </form>
    ${footerTemplate(frame, translator, events.perform)}
    <p class="unseen" role="status" id="announcement"></p>
  </section>`
}

/** When the next try begins by itself. It keeps its place while that try is under way. */
function statusOf({ view, scene }: ScreenFrame, { text, seconds }: Translator): string | null {
  if (scene.situation.kind !== 'no-network') return null
  const { retryAtMs } = view
  if (retryAtMs === null) return ''
  return text('nextTry', { time: seconds(Math.max(1, Math.ceil((retryAtMs - Date.now()) / 1_000))) })
}
