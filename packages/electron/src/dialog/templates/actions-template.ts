import { type Content, element } from '../dom/element.ts'
import type { ScreenFrame } from '../scene/screen-frame.ts'
import { spinner } from './icons.ts'

/** The main button and the second one. The main one submits the form and keeps the focus while it is busy. */
export function actionsTemplate({
  scene: { primary, other, isDestructive, busyLabel, situation },
}: ScreenFrame): Content {
  const isBusy = situation.isChecking
  return (
    primary &&
    element(
      'div',
      { class: 'actions', part: 'buttons' },
      other &&
        element('button', { part: 'button', type: 'button', 'data-action': other.action }, other.label),
      element(
        'button',
        {
          class: isDestructive ? 'destructive' : 'primary',
          part: 'button primary-button',
          type: 'submit',
          'data-action': primary.action,
          'aria-disabled': String(isBusy),
        },
        isBusy ? [spinner, busyLabel] : primary.label,
      ),
    )
  )
}
