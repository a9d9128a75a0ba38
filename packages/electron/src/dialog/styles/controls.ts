import { type CSSResult, css } from 'lit'

/**
 * Field, buttons and their states. The ring of the field is an outline, for Chrome 114 mixes no colours in a shadow;
 * the edge of the main button keeps a pale accent in sight.
 */
export const controls: CSSResult = css`
  :host {
    --_mono: 'SF Mono', Menlo, 'Cascadia Mono', Consolas, monospace;
  }
  .field,
  fieldset {
    gap: 0.45em;
  }
  label {
    font-weight: 550;
  }
  input[type='text'] {
    --_ring: var(--_accent-text);
    width: 100%;
    min-height: 3em;
    padding: 0.5em 0.85em;
    border: 1px solid var(--_field-line);
    border-radius: var(--_radius);
    background: var(--_raised);
    color: var(--_text);
    font: 0.96em / 1.4 var(--_mono);
  }
  input[type='text']::placeholder {
    color: var(--_quiet);
    opacity: 0.75;
  }
  input[aria-invalid='true'] {
    border-color: var(--_stopped);
    --_ring: var(--_stopped);
  }
  input[type='text']:focus {
    border-color: var(--_ring);
    outline: 3px solid color-mix(in srgb, var(--_ring) 28%, transparent);
  }
  input[readonly] {
    color: var(--_quiet);
  }
  .hint-place {
    min-height: 2.15em;
  }
  .hint {
    padding-block: 0.2em;
    display: flex;
    align-items: flex-start;
    gap: 0.4em;
    color: var(--_quiet);
  }
  .hint svg {
    margin-top: 0.12em;
  }
  .hint.error {
    color: var(--_stopped);
  }
  .hint.found svg {
    color: var(--_done);
  }
  button {
    display: inline-flex;
    align-items: center;
    justify-content: center;
    gap: 0.5em;
    min-height: 2.86em;
    padding: 0.45em 1.1em;
    border: 1px solid transparent;
    border-radius: var(--_radius);
    background: var(--_fill);
    color: var(--_text);
    font: inherit;
    font-weight: 550;
    line-height: 1.3;
    transition: background 0.12s, filter 0.12s;
  }
  button:hover {
    background: var(--_line);
  }
  button:focus-visible {
    outline: 2px solid var(--_accent-text);
    outline-offset: 2px;
  }
  button.primary {
    background: var(--_accent-fill);
    color: var(--_accent-on-fill);
    border-color: color-mix(in srgb, var(--_accent-fill) 65%, var(--_accent-text));
    font-weight: 600;
  }
  button.primary:hover {
    filter: brightness(1.07);
  }
  button:active {
    filter: brightness(0.94);
  }
  button.link {
    min-height: 2em;
    padding: 0.25em 0.65em;
    border-radius: 7px;
    background: none;
    color: var(--_quiet);
    font-weight: 450;
  }
  button.link:hover {
    background: var(--_fill);
    color: var(--_text);
  }
  button.offer {
    align-self: flex-start;
    min-height: 2.3em;
    margin-top: 0.1em;
    padding: 0.3em 0.8em 0.3em 0.65em;
    color: var(--_accent-text);
    background: color-mix(in srgb, var(--_accent-text) 10%, transparent);
    text-align: start;
  }
  button.offer:hover {
    background: color-mix(in srgb, var(--_accent-text) 16%, transparent);
  }
  .spinner {
    width: 1.15em;
    height: 1.15em;
    border: 2px solid currentColor;
    border-top-color: transparent;
    border-radius: 50%;
    animation: turn 0.8s linear infinite;
  }
  @keyframes turn {
    to {
      rotate: 1turn;
    }
  }
  @keyframes appear {
    from {
      scale: 0.4;
      opacity: 0;
    }
  }
  @keyframes draw {
    from {
      stroke-dashoffset: 22;
    }
  }
  .badge {
    animation: appear 0.28s cubic-bezier(0.2, 1.5, 0.4, 1);
  }
  .badge[data-badge='done'] path {
    stroke-dasharray: 22;
    animation: draw 0.32s 0.16s ease-out both;
  }
  @keyframes breathe {
    50% {
      opacity: 0.35;
    }
  }
  @media (prefers-reduced-motion: reduce) {
    * {
      transition: none !important;
      animation: none !important;
    }
    .spinner {
      animation: breathe 2s ease-in-out infinite !important;
    }
  }
  @container (max-width: 400px) {
    input[type='text'] {
      padding-inline: 0.7em;
      font-size: 0.84em;
      letter-spacing: -0.03em;
    }
  }
  @media (forced-colors: active) {
    button,
    .badge,
    span.logo {
      border: 1px solid ButtonText;
    }
    button.primary {
      forced-color-adjust: none;
      background: Highlight;
      color: HighlightText;
    }
    button:focus-visible {
      outline-color: CanvasText;
    }
    input[type='text']:focus {
      outline-color: Highlight;
    }
    .status .spinner {
      border-top-color: Canvas;
    }
  }
`
