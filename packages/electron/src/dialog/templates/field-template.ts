import { type Content, element, flag } from '../dom/element.ts'
import type { ScreenFrame } from '../scene/screen-frame.ts'
import type { Translator } from '../scene/translator.ts'
import { icon } from './icons.ts'

/** The license key field. Its text stays in the input, which is read on submit. */
export function fieldTemplate({ scene, hint, token }: ScreenFrame, { text }: Translator): Content {
  const { isChecking } = scene.situation
  return [
    element('label', { class: 'label', for: 'key', part: 'label' }, text('keyLabel')),
    element(
      'div',
      { class: 'box', part: 'field' },
      token &&
        element(
          'span',
          { class: 'token', part: 'token' },
          icon('clipboard'),
          element('bdi', { dir: 'ltr' }, token),
          element(
            'button',
            {
              type: 'button',
              'data-action': 'remove-token',
              'aria-label': text('useOtherKey'),
              disabled: flag(isChecking),
            },
            icon('close'),
          ),
        ),
      element('input', {
        id: 'key',
        type: 'text',
        dir: 'ltr',
        autocomplete: 'off',
        spellcheck: 'false',
        'aria-describedby': 'hint',
        'aria-invalid': String(hint.tone === 'danger'),
        readonly: flag(isChecking),
      }),
    ),
  ]
}
