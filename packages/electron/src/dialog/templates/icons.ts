import { html, svg, type TemplateResult } from 'lit'
import type { SceneBadge } from '../scene.ts'

const shapes: Record<SceneBadge | 'key' | 'clipboard' | 'error', TemplateResult<2>> = {
  done: svg`<path d="m5 12.5 4.5 4.5L19 7.5"/>`,
  offline: svg`<path d="M3 3l18 18M8.5 15.5a5 5 0 0 1 7 0M5 12a10 10 0 0 1 4-2.4M19 12a10 10 0 0 0-5-2.7M12 19.5h.01"/>`,
  clock: svg`<circle cx="12" cy="12" r="8.5"/><path d="M12 7.5V12l3 2"/>`,
  warning: svg`<path d="M12 6v7.5M12 18h.01"/>`,
  stopped: svg`<path d="M9 7v10M15 7v10"/>`,
  devices: svg`<path d="M4 16V6.5h16V16zM9 20h6M12 16v4"/>`,
  error: svg`<circle cx="12" cy="12" r="9"/><path d="M12 7.5v5.5M12 16.5h.01"/>`,
  key: svg`<circle cx="8" cy="15.5" r="4.5"/><path d="m11.3 12.2 8-8M15.5 8l3 3"/>`,
  clipboard: svg`<path d="M8.5 5H6v15h12V5h-2.5M9 3.5h6V7H9z"/>`,
}

/** One of the screen's drawings; it takes the colour of its text and is no news to a screen reader. */
export function icon(name: keyof typeof shapes): TemplateResult {
  return html`<svg
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    stroke-width="2.2"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    ${shapes[name]}
  </svg>`
}
