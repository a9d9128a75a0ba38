import { type Content, element } from '../dom/element.ts'
import type { ScreenFrame } from '../scene/screen-frame.ts'
import type { Translator } from '../scene/translator.ts'
import { actionsTemplate } from './actions-template.ts'
import { detailsTemplate } from './details-template.ts'
import { fieldTemplate } from './field-template.ts'
import { footerTemplate } from './footer-template.ts'
import { headerTemplate } from './header-template.ts'
import { hintTemplate } from './hint-template.ts'
import { listTemplate } from './list-template.ts'
import { noticeTemplate } from './notice-template.ts'

/** The whole screen. @param logo address of the app's logo; `null` shows a drawn key */
export function screenTemplate(frame: ScreenFrame, translator: Translator, logo: string | null): Content {
  const { scene, hint, chosenId } = frame
  const { body, code, content = null, isLit, situation } = scene
  const isKeyList = situation.kind === 'choose-key'
  return element(
    'section',
    {
      class: `card${isLit ? '' : ' unlit'}${body === 'list' ? ' compact' : ''}`,
      part: 'card',
      lang: translator.locale,
      dir: translator.direction,
      'aria-labelledby': 'heading',
    },
    headerTemplate(scene, logo, statusOf(frame, translator)),
    element(
      'form',
      { class: 'body', part: 'body form', novalidate: '' },
      noticeTemplate(scene.notice),
      detailsTemplate(scene.details),
      code && element('code', { class: 'selectable', part: 'code' }, code),
      body === 'none'
        ? content
        : [
            body === 'form' ? fieldTemplate(frame, translator) : listTemplate(scene, chosenId),
            hintTemplate(hint, body === 'list' && !isKeyList),
          ],
      actionsTemplate(frame),
    ),
    footerTemplate(frame, translator),
    element('p', { class: 'unseen', role: 'status', id: 'announcement' }, frame.announcement),
  )
}

/** When the next automatic retry starts. The line keeps its place during that retry. */
function statusOf({ view, scene }: ScreenFrame, { text, seconds }: Translator): string | null {
  if (scene.situation.kind !== 'no-network') return null
  const { retryAtMs } = view
  if (retryAtMs === null) return ''
  return text('nextTry', { time: seconds(Math.max(1, Math.ceil((retryAtMs - Date.now()) / 1_000))) })
}
