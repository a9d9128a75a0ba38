import { html, nothing, type TemplateResult } from 'lit/html.js'
import type { Scene } from '../scene.ts'
import { icon } from './icons.ts'

/** Logo with its badge, heading and sentences. */
export function headerTemplate(scene: Scene, logo: string | null, onLogoError: () => void): TemplateResult {
  const { badge, heading, lead, note, code } = scene
  return html`<header class="words" part="header">
    <div class="emblem" part="emblem">
      ${
        logo === null
          ? html`<span class="logo" part="logo">${icon('key')}</span>`
          : html`<img class="logo" part="logo" alt="" src=${logo} @error=${onLogoError} />`
      }
      ${badge === null ? nothing : html`<span class="badge" part="badge" data-badge=${badge}>${icon(badge)}</span>`}
    </div>
    <h1 id="heading" part="heading" tabindex="-1">${heading}</h1>
    ${lead === '' ? nothing : html`<p class="lead" part="lead">${lead}</p>`}
    ${code === null ? nothing : html`<code part="code">${code}</code>`}
    ${note === null ? nothing : html`<p class="note" part="note">${note}</p>`}
  </header>`
}
