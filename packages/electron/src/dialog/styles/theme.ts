import { type CSSResult, css } from 'lit'

const light: CSSResult = css`
  --_background: var(--latchkey-background, #f8f8fa);
  --_raised: var(--latchkey-surface, #ffffff);
  --_text: var(--latchkey-text, #1b1b1f);
  --_quiet: var(--latchkey-text-secondary, #5b5b66);
  --_line: var(--latchkey-border, rgb(20 20 30 / 0.13));
  --_field-line: var(--latchkey-field-border, #85858f);
  --_fill: rgb(20 20 30 / 0.06);
  --_fill-hover: rgb(20 20 30 / 0.1);
  --_done: var(--latchkey-success, #1a7f45);
  --_warning: var(--latchkey-warning, #a85a00);
  --_stopped: var(--latchkey-danger, #c4262e);
  --_accent-fill: var(--_accent-fill-light);
  --_accent-on-fill: var(--_accent-on-fill-light);
  --_accent-text: var(--_accent-text-light);
  --_shadow: 0 1px 2px rgb(20 20 30 / 0.08), 0 6px 16px -4px rgb(20 20 30 / 0.18);
`

const dark: CSSResult = css`
  --_background: var(--latchkey-background, #1c1c20);
  --_raised: var(--latchkey-surface, #27272c);
  --_text: var(--latchkey-text, #f3f3f6);
  --_quiet: var(--latchkey-text-secondary, #aeaeb8);
  --_line: var(--latchkey-border, rgb(255 255 255 / 0.13));
  --_field-line: var(--latchkey-field-border, #7c7c88);
  --_fill: rgb(255 255 255 / 0.09);
  --_fill-hover: rgb(255 255 255 / 0.15);
  --_done: var(--latchkey-success, #3ecf7c);
  --_warning: var(--latchkey-warning, #f0a63c);
  --_stopped: var(--latchkey-danger, #ff7a78);
  --_accent-fill: var(--_accent-fill-dark);
  --_accent-on-fill: var(--_accent-on-fill-dark);
  --_accent-text: var(--_accent-text-dark);
  --_shadow: 0 1px 2px rgb(0 0 0 / 0.4), 0 8px 20px -4px rgb(0 0 0 / 0.55);
`

/** The colours, light and dark. Every one a custom property of the app may replace. */
export const theme: CSSResult = css`
  :host {
    color-scheme: light dark;
    --_radius: var(--latchkey-radius, 10px);
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
