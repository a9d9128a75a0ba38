import { css } from './css.ts'

const light: string = css`
  --_window: var(--latchkey-background, #f5f5f7);
  --_shine: color-mix(in srgb, #fff 94%, var(--_window));
  --_bar: color-mix(in srgb, #000 4%, var(--_window));
  --_surface: var(--latchkey-surface, #fff);
  --_text: var(--latchkey-text, #1b1b1f);
  --_quiet: var(--latchkey-text-secondary, #55555e);
  --_edge: var(--latchkey-field-border, #86868f);
  --_line: var(--latchkey-border, rgb(0 0 0 / 0.1));
  --_fill: rgb(0 0 0 / 0.05);
  --_shadow: 0.18;
  --_success: var(--latchkey-success, #1b8a4b);
  --_warning: var(--latchkey-warning, #b86e00);
  --_danger: var(--latchkey-danger, #c0252d);
  --_glow: 0.2;
  --_unlit: 0;
  --_accent-text: var(--_accent-text-light, #344dcd);
`

const dark: string = css`
  --_window: var(--latchkey-background, #1e1e21);
  --_shine: color-mix(in srgb, #fff 5%, var(--_window));
  --_bar: color-mix(in srgb, #000 17%, var(--_window));
  --_surface: var(--latchkey-surface, #2a2a2e);
  --_text: var(--latchkey-text, #f4f4f6);
  --_quiet: var(--latchkey-text-secondary, #acacb5);
  --_edge: var(--latchkey-field-border, #83838e);
  --_line: var(--latchkey-border, rgb(255 255 255 / 0.11));
  --_fill: rgb(255 255 255 / 0.07);
  --_shadow: 0.5;
  --_success: var(--latchkey-success, #3fcf7f);
  --_warning: var(--latchkey-warning, #f0a840);
  --_danger: var(--latchkey-danger, #ff827e);
  --_glow: 0.29;
  --_unlit: 0.12;
  --_accent-text: var(--_accent-text-dark, #9eadf8);
`

/** The colors, light and dark. An app's custom properties replace them one by one. */
export const theme: string = css`
  :host {
    color-scheme: light dark;
    --_accent-fill: #3d5af1;
    --_accent-on-fill: #fff;
    --_accent-away: #000;
    --_radius: var(--latchkey-radius, 10px);
    --_raise: 0 1px 2px rgb(0 0 0 / calc(var(--_shadow) * 0.4));
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
  @media (prefers-contrast: more) {
    :host {
      --_line: var(--_text);
      --_edge: var(--_text);
      --_quiet: var(--_text);
    }
  }
`
