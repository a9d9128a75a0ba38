import { type CSSResult, css } from 'lit'

/**
 * Where things stand: emblem and words on top, what to do below, links at the foot. A notice has an edge that is seen
 * in forced colours only; Japanese breaks between translator from Chrome 119 on.
 */
export const layout: CSSResult = css`
  :host {
    container-type: inline-size;
    background: var(--_background);
    color: var(--_text);
    font-family: var(--latchkey-font-family, system-ui, sans-serif);
    font-size: var(--latchkey-font-size, 14px);
    line-height: 1.5;
    overflow-wrap: anywhere;
    -webkit-font-smoothing: antialiased;
  }
  :host([hidden]) {
    display: none;
  }
  * {
    box-sizing: border-box;
  }
  h1,
  p,
  dl,
  dd,
  fieldset {
    margin: 0;
    padding: 0;
    border: 0;
    min-width: 0;
  }
  :host,
  .card,
  .words,
  .body,
  form,
  .field,
  fieldset {
    display: flex;
    flex-direction: column;
  }
  svg {
    flex: none;
    fill: none;
    stroke: currentColor;
    stroke-width: 2.2;
    stroke-linecap: round;
    stroke-linejoin: round;
    width: 1.25em;
    height: 1.25em;
  }
  .hint,
  .link,
  .note,
  .notice,
  .offer,
  .status {
    font-size: 0.93em;
  }
  .card {
    flex: 1;
    width: 100%;
    max-width: 34em;
    margin-inline: auto;
    padding: clamp(20px, 9cqi, 44px) clamp(16px, 9cqi, 44px) 14px;
  }
  .words {
    align-items: center;
    text-align: center;
    gap: 0.45em;
  }
  :lang(ja) {
    word-break: auto-phrase;
  }
  .emblem {
    position: relative;
    margin-bottom: 0.85em;
    --_emblem: var(--latchkey-logo-size, 68px);
  }
  :host([situation='no-seat-left']) .emblem {
    --_emblem: min(var(--latchkey-logo-size, 48px), 48px);
    margin-bottom: 0.5em;
  }
  .logo {
    display: grid;
    place-items: center;
    width: var(--_emblem);
    height: var(--_emblem);
    object-fit: contain;
  }
  span.logo {
    border-radius: calc(var(--_emblem) / 4);
    background: linear-gradient(
      160deg,
      color-mix(in srgb, var(--_accent-fill) 82%, white),
      var(--_accent-fill) 55%,
      color-mix(in srgb, var(--_accent-fill) 84%, black)
    );
    color: var(--_accent-on-fill);
    box-shadow: 0 8px 18px -6px rgb(0 0 0 / 0.35);
  }
  .badge {
    position: absolute;
    bottom: calc(var(--_emblem) * -0.1);
    inset-inline-end: calc(var(--_emblem) * -0.13);
    display: grid;
    place-items: center;
    width: calc(var(--_emblem) * 0.28 + 11px);
    height: calc(var(--_emblem) * 0.28 + 11px);
    border: 3px solid var(--_background);
    border-radius: 50%;
    background: var(--_quiet);
    color: var(--_background);
  }
  .emblem svg {
    width: 58%;
    height: 58%;
  }
  .badge[data-badge='done'] {
    background: var(--_done);
  }
  .badge[data-badge='warning'],
  .badge[data-badge='clock'] {
    background: var(--_warning);
  }
  .badge[data-badge='stopped'] {
    background: var(--_stopped);
  }
  h1 {
    font-size: 1.5em;
    font-weight: 650;
    line-height: 1.25;
    letter-spacing: -0.014em;
    text-wrap: balance;
    outline: none;
  }
  .lead,
  .note {
    max-width: 28em;
    text-wrap: balance;
  }
  .lead,
  .status {
    color: var(--_quiet);
  }
  code {
    font-family: var(--_mono);
    font-size: 0.93em;
    padding: 0.15em 0.6em;
    border-radius: 6px;
    background: var(--_fill);
    user-select: all;
  }
  .body,
  form {
    gap: 1.15em;
  }
  .body {
    margin-top: 1.85em;
  }
  .notice {
    display: flex;
    gap: 0.7em;
    padding: 0.75em 0.95em;
    border: 1px solid transparent;
    border-radius: var(--_radius);
    background: color-mix(in srgb, #f5a524 16%, transparent);
  }
  .notice[data-tone='done'] {
    background: color-mix(in srgb, var(--_done) 11%, transparent);
  }
  .notice svg {
    margin-top: 0.1em;
    color: var(--_warning);
  }
  .notice[data-tone='done'] svg {
    color: var(--_done);
  }
  .buttons {
    display: flex;
    flex-wrap: wrap;
    gap: 0.6em;
  }
  .buttons > .primary {
    flex: 1 1 100%;
  }
  .buttons > * {
    flex: 1 1 auto;
  }
  .status {
    min-height: 1.5em;
    text-align: center;
    font-variant-numeric: tabular-nums;
  }
  footer {
    display: flex;
    flex-wrap: wrap;
    justify-content: center;
    gap: 0.1em 0.4em;
    margin-top: auto;
    padding-top: 1.6em;
  }
  .unseen {
    position: absolute;
    width: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
`
