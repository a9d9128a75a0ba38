import { type CSSResult, css } from 'lit'

const light: CSSResult = css`
  --_background: var(--latchkey-background, #f8f8fa);
  --_raised: var(--latchkey-surface, #fff);
  --_text: var(--latchkey-text, #1b1b1f);
  --_quiet: var(--latchkey-text-secondary, #5b5b66);
  --_field-line: var(--latchkey-field-border, #85858f);
  --_done: var(--latchkey-success, #1a7f45);
  --_warning: var(--latchkey-warning, #a85a00);
  --_stopped: var(--latchkey-danger, #c4262e);
  --_accent-text: var(--_accent-text-light);
`

const dark: CSSResult = css`
  --_background: var(--latchkey-background, #1c1c20);
  --_raised: var(--latchkey-surface, #27272c);
  --_text: var(--latchkey-text, #f3f3f6);
  --_quiet: var(--latchkey-text-secondary, #aeaeb8);
  --_field-line: var(--latchkey-field-border, #7c7c88);
  --_done: var(--latchkey-success, #3ecf7c);
  --_warning: var(--latchkey-warning, #f0a63c);
  --_stopped: var(--latchkey-danger, #ff7a78);
  --_accent-text: var(--_accent-text-dark);
`

/** The colours, light and dark. Every one a custom property of the app may replace. */
export const theme: CSSResult = css`
  :host {
    color-scheme: light dark;
    --_radius: var(--latchkey-radius, 10px);
    --_line: var(--latchkey-border, color-mix(in srgb, var(--_text) 14%, transparent));
    --_fill: color-mix(in srgb, var(--_text) 7%, transparent);
    ${light}
  }
  @media (prefers-color-scheme: dark) {
    :host(:not([theme='light'])) {
      ${dark}
    }
  }
  :host([theme='light']) {
    color-scheme: light;
  }
  :host([theme='dark']) {
    color-scheme: dark;
    ${dark}
  }
`
