import { type Content, element } from '../dom/element.ts'
import type { ScreenFrame } from '../scene/screen-frame.ts'
import type { Translator } from '../scene/translator.ts'
import { linkTemplate } from './button-template.ts'
import { icon } from './icons.ts'

/** Help at the start, other links at the end. */
export function footerTemplate({ scene: { help, footer } }: ScreenFrame, { text }: Translator): Content {
  const entries = help.map(linkTemplate)
  return element(
    'footer',
    { class: 'foot', part: 'footer' },
    entries.length > 1
      ? [
          element(
            'button',
            { class: 'link', part: 'link help-button', type: 'button', popovertarget: 'help' },
            text('help'),
            icon('up'),
          ),
          element('div', { id: 'help', class: 'menu', part: 'menu', popover: '' }, entries),
        ]
      : element('span', {}, entries),
    footer.map(linkTemplate),
  )
}
