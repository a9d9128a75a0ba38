import type { Attributes, Content, DrawnElement } from '../dom/element.ts'
import type { OfflineAction } from '../scene/scene.ts'
import type { ShownRequest } from './offline-scene.ts'
import type { OfflineStrings } from './strings/offline-strings.ts'

// Its own copy: a module of the screen's that is used here too would become a file of its own.
const element = (tag: string, attributes: Attributes, ...content: readonly Content[]): DrawnElement => ({
  tag,
  attributes,
  content,
})

const way = (action: OfflineAction, label: string): Content =>
  element('button', { class: 'way', part: 'link', type: 'button', 'data-action': action }, label)

const fact = (name: string, ...value: readonly Content[]): Content =>
  element('div', { part: 'detail' }, element('dt', {}, name), ...value)

/** A line of the facts, with a value that is read from left to right in every language. */
export const plainFact = (name: string, value: string): Content =>
  fact(name, element('dd', {}, element('bdi', { dir: 'ltr' }, value)))

/** What is carried to another device: as a QR code, and what else can be done with it. @param first the first fact */
export function requestTemplate(
  { code, address }: ShownRequest,
  labels: {
    readonly what: string
    /** Describes the QR code. */
    readonly code: string
    /** Changes when the text was copied. */
    readonly copy: string
  },
  texts: OfflineStrings,
  first: Content = null,
): Content {
  return [
    code &&
      element(
        'svg',
        {
          class: 'scan',
          part: 'code',
          role: 'img',
          'aria-label': labels.code,
          viewBox: `0 0 ${code.size} ${code.size}`,
        },
        element('path', { d: code.path }),
      ),
    element(
      'dl',
      { class: 'group facts', part: 'details' },
      first,
      plainFact(texts.address, address),
      fact(
        labels.what,
        element(
          'dd',
          { class: 'ways' },
          way('offline-save-file', texts.saveFile),
          way('offline-copy-text', labels.copy),
        ),
      ),
    ),
  ]
}

/** The field for the answer, and the line below it. */
export function answerTemplate(error: string, isBusy: boolean, { answer }: OfflineStrings): Content {
  return [
    element('label', { class: 'label', for: 'answer', part: 'label' }, answer),
    element(
      'div',
      { class: 'box answer', part: 'field' },
      element('textarea', {
        id: 'answer',
        dir: 'ltr',
        autocomplete: 'off',
        spellcheck: 'false',
        'aria-describedby': 'hint',
        'aria-invalid': String(error !== ''),
        readonly: isBusy ? '' : null,
      }),
    ),
    element(
      'p',
      {
        id: 'hint',
        class: 'slot',
        part: error ? 'error' : 'hint',
        'data-tone': error ? 'danger' : null,
      },
      error &&
        element(
          'svg',
          { viewBox: '0 0 16 16', 'aria-hidden': 'true' },
          element('path', { d: 'M8 1.9a6.1 6.1 0 1 0 .01 0M8 5v3.4M8 11h0' }),
        ),
      element('span', {}, error),
    ),
  ]
}
