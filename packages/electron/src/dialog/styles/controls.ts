import { css } from './css.ts'
import { em } from './em.ts'

/**
 * The field, the hint below it, and the buttons. A solid fill means forward, an outline is the alternative, and a tint
 * takes something away. The field's ring is an outline because Chrome 114 can't mix colors in a shadow.
 */
export const controls: string = css`
  .label {
    display: block;
    padding-bottom: ${em(8, 13)};
    font-size: ${em(13)};
    font-weight: 600;
  }
  .box {
    --_ring: var(--_accent-text);
    display: flex;
    align-items: center;
    gap: ${em(8)};
    height: ${em(44)};
    padding-inline: ${em(12)};
    border: 1px solid var(--_edge);
    border-radius: var(--_radius);
    background: var(--_surface);
  }
  .box:has(input:focus) {
    border-color: var(--_ring);
    outline: 3px solid color-mix(in srgb, var(--_ring) 28%, transparent);
  }
  .box:has([aria-invalid='true']) {
    --_ring: var(--_danger);
    border-color: var(--_danger);
  }
  .box:has([readonly]) {
    border-color: var(--_line);
    background: none;
    color: var(--_quiet);
  }
  .box input {
    flex: 1;
    height: 100%;
    font-family: var(--_mono);
    outline: none;
    cursor: text;
    user-select: text;
  }
  .token {
    display: flex;
    align-items: center;
    gap: ${em(6)};
    height: ${em(28)};
    margin-inline-start: ${em(-4)};
    padding-inline: ${em(8)} ${em(2)};
    border-radius: ${em(6)};
    background: color-mix(in srgb, var(--_accent-text) 10%, transparent);
    color: var(--_accent-text);
    font-family: var(--_mono);
    white-space: nowrap;
  }
  .token button {
    display: grid;
    place-items: center;
    width: ${em(24)};
    height: ${em(24)};
    border-radius: ${em(5)};
  }
  .slot {
    display: flex;
    gap: ${em(8, 13)};
    min-height: ${em(48, 13)};
    padding-top: ${em(8, 13)};
    color: var(--_quiet);
    font-size: ${em(13)};
  }
  .slot.one {
    min-height: ${em(28, 13)};
  }
  .slot > span {
    white-space: pre-line;
    text-wrap: balance;
  }
  .slot svg {
    margin-top: ${em(2)};
    color: var(--_tone);
  }
  .slot[data-tone='danger'] {
    color: var(--_danger);
  }
  .slot button {
    color: var(--_accent-text);
    font-weight: 500;
  }
  .slot button:hover {
    text-decoration: underline;
  }
  .actions {
    display: flex;
    flex-wrap: wrap-reverse;
    gap: ${em(8)};
    padding-top: ${em(16)};
  }
  .actions button {
    flex: 1 1 calc(50% - ${em(4)});
    min-width: fit-content;
    display: flex;
    align-items: center;
    justify-content: center;
    gap: ${em(8)};
    min-height: ${em(40)};
    padding: ${em(8)} ${em(16)};
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
    background: var(--_surface);
    box-shadow: var(--_raise);
    font-weight: 550;
    --_shade: 0%;
  }
  :where(.actions) button:hover {
    background: var(--_surface) linear-gradient(var(--_fill), var(--_fill));
    --_shade: 8%;
  }
  .actions button:active {
    --_shade: 16%;
  }
  .actions .primary {
    border-color: color-mix(in srgb, var(--_accent-fill) 60%, var(--_accent-text));
    background: var(--_accent-fill)
      linear-gradient(
        color-mix(in srgb, var(--_accent-away) var(--_shade), transparent),
        color-mix(in srgb, var(--_accent-away) calc(var(--_shade) + 10%), transparent)
      );
    color: var(--_accent-on-fill);
    box-shadow: 0 1px 2px rgb(0 0 0 / 0.2), inset 0 1px rgb(255 255 255 / 0.16);
    font-weight: 600;
  }
  .actions .destructive {
    border-color: color-mix(in srgb, var(--_danger) 32%, transparent);
    background: color-mix(in srgb, var(--_danger) calc(9% + var(--_shade) / 3), var(--_surface));
    box-shadow: none;
    color: var(--_danger);
  }
  button:focus-visible {
    outline: 2px solid var(--_accent-text);
    outline-offset: 2px;
  }
  .spinner {
    width: ${em(16)};
    height: ${em(16)};
    border: 2px solid;
    border-top-color: transparent;
    border-radius: 50%;
    animation: turn 2.4s linear infinite;
  }
  @keyframes turn {
    to {
      rotate: 1turn;
    }
  }
`
