import { type Content, element } from '../dom/element.ts'
import type { Scene } from '../scene/scene.ts'
import { icon } from './icons.ts'
import { linesTemplate } from './lines-template.ts'

/** The logo, its light and its badge; heading and sentences. @param status updates every second; may be empty */
export function headerTemplate(
  { badge, heading, lead }: Scene,
  logo: string | null,
  status: string | null,
): Content {
  const hidden = { 'aria-hidden': 'true' }
  const image = { id: 'logo', width: '100%', height: '100%', href: logo }
  return element(
    'header',
    { class: 'hero', part: 'header' },
    element(
      'div',
      { class: 'emblem', part: 'emblem' },
      // The image is in the document once, even if it is large. Its light refers to it.
      logo === null
        ? [element('span', { class: 'glow' }), element('span', { class: 'logo', part: 'logo' }, icon('key'))]
        : [
            element('svg', { class: 'glow', ...hidden }, element('use', { href: '#logo' })),
            element('svg', { class: 'logo', part: 'logo', ...hidden }, element('image', image)),
          ],
      badge &&
        element(
          'span',
          // A separate element for each badge, so that a new one animates.
          { class: `${badge} badge`, part: 'badge' },
          icon(badge),
        ),
    ),
    element('h1', { id: 'heading', part: 'heading', tabindex: '-1' }, heading),
    lead === '' ? null : element('p', { class: 'lead', part: 'lead' }, linesTemplate(lead)),
    status === null ? null : element('p', { class: 'status', part: 'status' }, status),
  )
}
