import { html, type TemplateResult } from 'lit/html.js'
import type { SceneBadge } from '../scene.ts'

/** Name of one of the screen's drawings. */
export type IconName = SceneBadge | 'key' | 'clipboard' | 'error'

// Paths in a square of 24; an arc that ends where it began is a circle.
const paths: Readonly<Record<IconName, string>> = {
  done: 'm5 12.5 4.5 4.5L19 7.5',
  offline: 'm4 4 16 16M8.5 15.5a5 5 0 0 1 7 0M4.5 11a11 11 0 0 1 5-2.8M19.5 11a11 11 0 0 0-6-3M12 19.5h0',
  clock: 'M12 3.5a8.5 8.5 0 1 0 .01 0M12 7.5V12l3 2',
  warning: 'M12 6v7.5M12 18h0',
  stopped: 'M9 7v10M15 7v10',
  devices: 'M4 16V6.5h16V16zM9 20h6M12 16v4',
  error: 'M12 3a9 9 0 1 0 .01 0M12 7.5v5M12 16.5h0',
  key: 'M8 11a4.5 4.5 0 1 0 .01 0M11.3 12.2l8-8M15.5 8l3 3',
  clipboard: 'M8.5 5H6v15h12V5h-2.5M9 3.5h6V7H9z',
}

/** A drawing that takes the colour of its text and screen readers skip. */
export function icon(name: IconName): TemplateResult {
  return html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d=${paths[name]} /></svg>`
}
