import { type Content, element } from '../dom/element.ts'
import type { SceneNotice } from '../scene/scene.ts'
import { icon } from './icons.ts'
import { linesTemplate } from './lines-template.ts'

/** A message in a box of its own. */
export function noticeTemplate(notice: SceneNotice | null): Content {
  return (
    notice &&
    element(
      'p',
      { class: 'notice', part: 'notice', 'data-tone': notice.tone },
      icon(notice.tone === 'success' ? 'done' : 'error'),
      element('span', {}, linesTemplate(notice.text)),
    )
  )
}
