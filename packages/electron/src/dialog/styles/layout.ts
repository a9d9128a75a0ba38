import { css } from './css.ts'
import { em } from './em.ts'

/**
 * One column: the logo and its light, the texts, the controls, and a line at the foot. The column is 400 pixels wide
 * and the background extends to the edges. Japanese breaks between phrases from Chrome 119, and after punctuation before.
 *
 * The light of the built-in logo is a gradient that looks like its blur. Without a graphics card, a blur takes longer than
 * the rest of the first frame. As the image of a border, it doesn't make a narrow page scroll.
 *
 * The host is a query container, so its content gives it no width. It fills the available width, also where a page
 * centers it. In a parent that is only as wide as its content, it is as wide as the activation window.
 */
export const layout: string = css`
  :host {
    width: -webkit-fill-available;
    min-width: 0;
    container-type: inline-size;
    contain-intrinsic-width: min(${em(464)}, 100vw);
    background: var(--_window) linear-gradient(var(--_shine), var(--_window)) 0 0 / 100% ${em(160)} no-repeat;
    color: var(--_text);
    font-family: var(--latchkey-font-family, system-ui, sans-serif);
    font-size: var(--latchkey-font-size, 14px);
    line-height: ${em(20)};
    overflow-wrap: anywhere;
    -webkit-font-smoothing: antialiased;
    cursor: default;
    user-select: none;
    --_mono: ui-monospace, 'SF Mono', Menlo, 'Cascadia Mono', Consolas, monospace;
    --_side: max(${em(32)}, 50% - ${em(200)});
  }
  :host,
  .card,
  .hero {
    display: flex;
    flex-direction: column;
  }
  :host([hidden]) {
    display: none;
  }
  :where(*) {
    box-sizing: border-box;
    min-width: 0;
    margin: 0;
    padding: 0;
    border: 0;
    background: none;
    color: inherit;
    font: inherit;
    cursor: inherit;
  }
  :where(svg) {
    flex: none;
    width: ${em(16)};
    height: ${em(16)};
    fill: none;
    stroke: currentColor;
    stroke-width: 1.75;
    stroke-linecap: round;
    stroke-linejoin: round;
  }
  .card {
    position: relative;
    flex: 1;
    overflow: clip;
  }
  .hero {
    align-items: center;
    padding: var(--_top, ${em(32)}) var(--_side) 0;
    text-align: center;
  }
  .hero > * {
    position: relative;
  }
  .emblem {
    flex: none;
    width: var(--_logo);
    height: var(--_logo);
    margin-bottom: ${em(16)};
    --_logo: var(--latchkey-logo-size, ${em(80)});
  }
  .compact .emblem {
    --_logo: min(var(--latchkey-logo-size, ${em(64)}), ${em(64)});
  }
  .logo,
  .glow {
    position: absolute;
    inset: 0;
    width: 100%;
    height: 100%;
    overflow: visible;
  }
  svg.logo {
    filter: drop-shadow(0 6px 10px rgb(0 0 0 / 0.2));
  }
  span.logo {
    display: grid;
    place-items: center;
    border-radius: 25%;
    background: var(--_accent-fill) linear-gradient(160deg, rgb(255 255 255 / 0.2), rgb(0 0 0 / 0.16));
    box-shadow: 0 6px 20px rgb(0 0 0 / 0.2);
    color: var(--_accent-on-fill);
  }
  .logo > svg {
    width: 58%;
    height: 58%;
  }
  .glow {
    opacity: var(--_glow);
    scale: 2.8 2.3;
    pointer-events: none;
  }
  svg.glow {
    filter: blur(${em(24)}) saturate(var(--_saturation, 1.5));
  }
  span.glow {
    border-image: radial-gradient(
        closest-side,
        color-mix(in srgb, currentcolor 86%, transparent),
        color-mix(in srgb, currentcolor 79%, transparent) 15%,
        color-mix(in srgb, currentcolor 61%, transparent) 30%,
        color-mix(in srgb, currentcolor 38%, transparent) 45%,
        color-mix(in srgb, currentcolor 19%, transparent) 60%,
        color-mix(in srgb, currentcolor 6%, transparent) 80%,
        transparent
      )
      fill 0 / / ${em(60)};
    color: var(--_light, var(--_accent-fill));
  }
  .unlit {
    --_glow: var(--_unlit);
    --_light: #666;
    --_saturation: 0;
  }
  .badge {
    --_tone: var(--_quiet);
    position: absolute;
    inset-block-end: ${em(-8)};
    inset-inline-end: ${em(-10)};
    display: grid;
    place-items: center;
    width: ${em(32)};
    height: ${em(32)};
    border: 3px solid var(--_window);
    border-radius: 50%;
    background: var(--_tone);
    color: var(--_window);
  }
  [data-tone='success'],
  .done {
    --_tone: var(--_success);
  }
  [data-tone='warning'],
  .clock,
  .warning {
    --_tone: var(--_warning);
  }
  [data-tone='danger'],
  .stopped {
    --_tone: var(--_danger);
  }
  h1 {
    font-size: ${em(22)};
    line-height: ${em(28, 22)};
    font-weight: 650;
    text-wrap: balance;
    outline: none;
  }
  [dir='ltr'] h1 {
    letter-spacing: -0.016em;
  }
  .lead {
    max-width: ${em(376)};
    padding-top: ${em(8)};
    color: var(--_quiet);
  }
  .line {
    display: block;
    text-wrap: balance;
  }
  :lang(ja),
  :lang(ko) {
    word-break: keep-all;
  }
  :lang(ja) {
    text-wrap: wrap;
    word-break: auto-phrase;
  }
  .status {
    min-height: ${em(36, 13)};
    padding-top: ${em(16, 13)};
    color: var(--_quiet);
    font-size: ${em(13)};
    font-variant-numeric: tabular-nums;
  }
  .body {
    position: relative;
    padding: ${em(24)} var(--_side);
  }
  .body > .actions:first-child {
    padding-top: ${em(8)};
  }
  .notice {
    display: flex;
    gap: ${em(8, 13)};
    margin-bottom: ${em(16, 13)};
    padding: ${em(10, 13)} ${em(12, 13)};
    border-radius: var(--_radius);
    background: color-mix(in srgb, var(--_tone) 11%, transparent);
    font-size: ${em(13)};
  }
  .notice svg {
    margin-top: ${em(2)};
    color: var(--_tone);
  }
  .selectable {
    display: block;
    padding: ${em(12)} ${em(16)};
    border-radius: var(--_radius);
    background: var(--_fill);
    font-family: var(--_mono);
    text-align: center;
    user-select: all;
  }
  .foot {
    z-index: 1;
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: flex-end;
    gap: 0 ${em(4, 13)};
    min-height: ${em(48, 13)};
    margin-top: auto;
    padding: ${em(7, 13)} max(${em(24, 13)}, 50% - ${em(208, 13)});
    border-top: 1px solid var(--_line);
    background: var(--_bar);
    color: var(--_quiet);
    font-size: ${em(13)};
    font-weight: 500;
  }
  .foot > :first-child {
    margin-inline-end: auto;
  }
  .foot svg {
    width: ${em(12, 13)};
    height: ${em(12, 13)};
  }
  .menu {
    position: fixed;
    inset: auto;
    padding: ${em(4, 13)};
    border-radius: ${em(12, 13)};
    background: var(--_surface);
    color: var(--_text);
    box-shadow: 0 0 0 1px var(--_line), 0 8px 24px rgb(0 0 0 / var(--_shadow));
  }
  .link {
    display: flex;
    align-items: center;
    gap: ${em(4, 13)};
    min-height: ${em(32, 13)};
    padding: ${em(4, 13)} ${em(8, 13)};
    border-radius: ${em(8, 13)};
    text-align: start;
  }
  .link:hover,
  .token button:hover {
    background: var(--_fill);
  }
  .link:hover {
    color: var(--_text);
  }
  .menu .link {
    width: 100%;
    min-width: ${em(192, 13)};
    padding-inline: ${em(12, 13)};
  }
  .unseen {
    position: absolute;
    width: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
`
