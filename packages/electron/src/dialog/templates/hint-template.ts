import { type Content, element } from '../dom/element.ts'
import type { Hint } from '../scene/hint-of.ts'
import { icon } from './icons.ts'

/** The hint: below the field always two lines high, below a list one line. */
export function hintTemplate({ tone, said, action }: Hint, isOneLine: boolean): Content {
  return element(
    'p',
    {
      id: 'hint',
      class: isOneLine ? 'slot one' : 'slot',
      part: tone === 'danger' ? 'error' : tone === 'success' ? 'found-key' : 'hint',
      'data-tone': tone,
    },
    tone && icon(tone === 'success' ? 'done' : 'error'),
    element(
      'span',
      {},
      said,
      action && [' ', element('button', { type: 'button', 'data-action': action.action }, action.label)],
    ),
  )
}
