import { html, svg, type TemplateResult } from 'lit'

const shapes = {
  drop: svg`<path d="M12 3c3.4 4.3 6 7.4 6 11a6 6 0 0 1-12 0c0-3.6 2.6-6.7 6-11Z"/><path d="M9.5 14.5a2.7 2.7 0 0 0 2.3 2.7"/>`,
  plus: svg`<path d="M12 5.5v13M5.5 12h13"/>`,
  pen: svg`<path d="M4.5 19.5l1-4L16 5a1.9 1.9 0 0 1 3 3L8.5 18.5l-4 1Z"/>`,
  columns: svg`<rect x="4" y="5" width="16" height="14" rx="2"/><path d="M12 5v14"/>`,
  book: svg`<path d="M12 7c-1.7-1.3-4.3-1.8-8-1.5v12c3.7-.3 6.3.2 8 1.5 1.7-1.3 4.3-1.8 8-1.5v-12c-3.7-.3-6.3.2-8 1.5Zm0 0v12"/>`,
  trash: svg`<path d="M5 7.5h14M10 7.5v-2h4v2M7 7.5l.8 11.5h8.4L17 7.5"/>`,
  export: svg`<path d="M12 14.5v-9M8.5 9L12 5.5 15.5 9M5.5 14v4.5h13V14"/>`,
  cross: svg`<path d="M7 7l10 10M17 7L7 17"/>`,
  lock: svg`<rect x="6" y="11" width="12" height="8.5" rx="2"/><path d="M8.8 11V8.5a3.2 3.2 0 0 1 6.4 0V11"/>`,
} as const

/** Name of an icon. */
export type Icon = keyof typeof shapes

/** A line icon in the color of the text beside it, hidden from screen readers. */
export function icon(name: Icon): TemplateResult {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${shapes[name]}</svg>`
}
