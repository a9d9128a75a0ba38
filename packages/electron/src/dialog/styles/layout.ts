import { type CSSResult, css } from 'lit'

/** Where things stand: emblem and words on top, what to do below, links at the foot. */
export const layout: CSSResult = css`
  :host {
    display: flex;
    flex-direction: column;
    container-type: inline-size;
    background: var(--_background);
    color: var(--_text);
    font-family: var(
      --latchkey-font-family,
      system-ui,
      -apple-system,
      'Segoe UI Variable Text',
      'Segoe UI',
      Roboto,
      'Noto Sans',
      sans-serif
    );
    font-size: var(--latchkey-font-size, 14px);
    line-height: 1.5;
    -webkit-font-smoothing: antialiased;
  }
  :host([hidden]) {
    display: none;
  }
  *,
  *::before {
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
    min-inline-size: 0;
  }
  .card {
    flex: 1;
    display: flex;
    flex-direction: column;
    inline-size: 100%;
    max-inline-size: 34em;
    margin-inline: auto;
    padding: clamp(20px, 9cqi, 44px) clamp(16px, 9cqi, 44px) 14px;
  }
  .words {
    display: flex;
    flex-direction: column;
    align-items: center;
    text-align: center;
    gap: 0.45em;
    overflow-wrap: anywhere;
  }
  /* Chrome 119 and later; without it, lines break between any two characters. */
  :lang(ja) {
    word-break: auto-phrase;
  }
  .emblem {
    position: relative;
    margin-block-end: 0.85em;
    --_emblem: var(--latchkey-logo-size, 68px);
  }
  :host([situation='no-seat-left']) .emblem {
    --_emblem: min(var(--latchkey-logo-size, 48px), 48px);
    margin-block-end: 0.5em;
  }
  .logo {
    display: grid;
    place-items: center;
    inline-size: var(--_emblem);
    block-size: var(--_emblem);
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
    box-shadow: var(--_shadow);
  }
  span.logo svg {
    inline-size: 53%;
    block-size: 53%;
  }
  .badge {
    position: absolute;
    inset-block-end: calc(var(--_emblem) * -0.1);
    inset-inline-end: calc(var(--_emblem) * -0.13);
    display: grid;
    place-items: center;
    inline-size: calc(var(--_emblem) * 0.28 + 11px);
    block-size: calc(var(--_emblem) * 0.28 + 11px);
    border: 3px solid var(--_background);
    border-radius: 50%;
    background: var(--_quiet);
    color: var(--_background);
  }
  .badge svg {
    inline-size: 66%;
    block-size: 66%;
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
  .lead {
    color: var(--_quiet);
    max-inline-size: 27em;
    text-wrap: balance;
  }
  .note {
    font-size: 0.93em;
    max-inline-size: 28em;
    text-wrap: balance;
  }
  code {
    font-family: var(--_mono);
    font-size: 0.93em;
    padding: 0.15em 0.6em;
    border-radius: 6px;
    background: var(--_fill);
    user-select: all;
  }
  .body {
    display: flex;
    flex-direction: column;
    gap: 1.15em;
    margin-block-start: 1.85em;
  }
  .notice {
    display: flex;
    gap: 0.7em;
    padding: 0.75em 0.95em;
    /* Seen in forced colours only. */
    border: 1px solid transparent;
    border-radius: var(--_radius);
    background: color-mix(in srgb, #f5a524 16%, transparent);
    font-size: 0.93em;
    overflow-wrap: anywhere;
  }
  .notice[data-tone='done'] {
    background: color-mix(in srgb, var(--_done) 11%, transparent);
  }
  .notice svg {
    flex: none;
    inline-size: 1.35em;
    block-size: 1.35em;
    margin-block-start: 0.06em;
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
    min-block-size: 1.5em;
    text-align: center;
    color: var(--_quiet);
    font-size: 0.93em;
    font-variant-numeric: tabular-nums;
  }
  footer {
    display: flex;
    flex-wrap: wrap;
    justify-content: center;
    gap: 0.1em 0.4em;
    margin-block-start: auto;
    padding-block-start: 1.6em;
  }
  .unseen {
    position: absolute;
    inline-size: 1px;
    block-size: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
`
