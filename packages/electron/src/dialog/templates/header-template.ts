import { html, nothing, type TemplateResult } from 'lit/html.js'
import type { Scene, SceneBadge } from '../scene.ts'
import { icon } from './icons.ts'

const tones: Readonly<Partial<Record<SceneBadge, string>>> = {
  done: 'success',
  clock: 'warning',
  warning: 'warning',
  stopped: 'danger',
}

/** The logo, its light and its badge; heading and sentences. @param status what changes by the second; empty for nothing */
export function headerTemplate(
  { badge, heading, lead }: Scene,
  logo: string | null,
  status: string | null,
  onLogoError: () => void,
): TemplateResult {
  return html`<header class="hero" part="header">
    <div class="emblem" part="emblem">
      ${
        // The image is there once, however large it is, and its light refers to it.
        logo === null
          ? html`<span class="glow"></span><span class="logo" part="logo">${icon('key')}</span>`
          : html`<svg class="glow" aria-hidden="true"><use href="#logo" /></svg>
              <svg class="logo" part="logo" aria-hidden="true">
                <image id="logo" width="100%" height="100%" href=${logo} @error=${onLogoError} />
              </svg>`
      }
      ${
        badge === null
          ? nothing
          : html`<span class="badge" part="badge" data-badge=${badge} data-tone=${tones[badge] ?? nothing}>
              ${icon(badge)}
            </span>`
      }
    </div>
    <h1 id="heading" part="heading" tabindex="-1">${heading}</h1>
    ${
      lead === ''
        ? nothing
        : html`<p class="lead" part="lead">${lead.split('\n').map((line) => html`<span>${line} </span>`)}</p>`
    }
    ${status === null ? nothing : html`<p class="status" part="status">${status}</p>`}
  </header>`
}
