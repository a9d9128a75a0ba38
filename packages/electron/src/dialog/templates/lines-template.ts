import { type Content, element } from '../dom/element.ts'

/** Lines of a text, each wrapped separately. The space after each is for screen readers and for copying. */
export function linesTemplate(text: string): Content {
  return text.split('\n').map((line) => element('span', { class: 'line' }, `${line} `))
}
