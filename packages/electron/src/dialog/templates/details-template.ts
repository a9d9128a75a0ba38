import { type Content, element } from '../dom/element.ts'
import type { SceneDetail } from '../scene/scene.ts'

/** The facts of a license, line by line. */
export function detailsTemplate(details: readonly SceneDetail[]): Content {
  if (details.length === 0) return null
  return element(
    'dl',
    { class: 'group facts', part: 'details' },
    details.map(({ label, value, isCode, seats }) =>
      element(
        'div',
        { part: 'detail' },
        element('dt', {}, label),
        element(
          'dd',
          { class: isCode ? 'code' : null },
          seats &&
            element(
              'span',
              { class: 'pips', 'aria-hidden': 'true' },
              Array.from({ length: seats.limit }, (_, seat) =>
                element('i', { class: seat < seats.used ? 'used' : null }),
              ),
            ),
          element('bdi', {}, value),
        ),
      ),
    ),
  )
}
