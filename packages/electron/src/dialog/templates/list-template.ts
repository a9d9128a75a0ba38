import { type Content, element, flag } from '../dom/element.ts'
import type { Scene } from '../scene/scene.ts'
import { spinner } from './icons.ts'

/** A list to choose one entry from. */
export function listTemplate({ rows, listName }: Scene, chosenId: string | null): Content {
  return element(
    'fieldset',
    { 'aria-describedby': 'hint' },
    element('legend', { class: 'unseen' }, listName),
    element(
      'div',
      { class: 'group' },
      rows === null
        ? element('div', { class: 'loading' }, spinner)
        : element(
            'div',
            { class: 'rows', part: 'devices' },
            rows.map(({ id, label, detail, isCode }) =>
              element(
                'label',
                { class: 'row', part: 'device' },
                element('input', { type: 'radio', name: 'row', value: id, checked: flag(id === chosenId) }),
                element(
                  'span',
                  {},
                  element('b', { class: isCode ? 'code' : null }, element('bdi', {}, label)),
                  element('small', {}, element('bdi', {}, detail)),
                ),
              ),
            ),
          ),
    ),
  )
}
