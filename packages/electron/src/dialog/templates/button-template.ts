import { type Content, element } from '../dom/element.ts'
import type { SceneButton } from '../scene/scene.ts'

/** A button with only a label. */
export function linkTemplate({ action, label }: SceneButton): Content {
  return element('button', { class: 'link', part: 'link', type: 'button', 'data-action': action }, label)
}
