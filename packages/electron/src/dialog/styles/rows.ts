import { css } from './css.ts'
import { em } from './em.ts'

/**
 * A list to choose from, loaded with the first one. A long list ends in the middle of a row and fades out as long as
 * there is more. Before Chrome 115, which added scroll timelines, the animation ends at once.
 */
export const rows: string = css`
  .rows {
    max-height: ${em(272)};
    padding: ${em(4)};
    overflow-y: auto;
    overscroll-behavior: contain;
  }
  .rows::-webkit-scrollbar {
    width: 11px;
  }
  .rows::-webkit-scrollbar-track {
    margin-block: 6px;
  }
  .rows::-webkit-scrollbar-thumb {
    border: solid transparent;
    border-width: 0 3px;
    border-radius: 6px;
    background: var(--_edge) content-box;
  }
  .loading {
    display: grid;
    place-items: center;
    height: ${em(150)};
  }
  .row {
    display: flex;
    align-items: center;
    gap: ${em(12)};
    min-height: ${em(48)};
    padding: ${em(6)} ${em(12)};
    border-radius: ${em(8)};
  }
  .row:hover {
    background: var(--_fill);
  }
  .row:has(:checked) {
    background: color-mix(in srgb, var(--_accent-text) 10%, transparent);
  }
  .row:has(:focus-visible) {
    outline: 2px solid var(--_accent-text);
    outline-offset: -2px;
  }
  .row input {
    appearance: none;
    flex: none;
    width: ${em(18)};
    height: ${em(18)};
    border: 1.5px solid var(--_edge);
    border-radius: 50%;
    outline: none;
  }
  .row input:checked {
    border: ${em(5.5)} solid var(--_accent-text);
  }
  .row b {
    display: block;
    font-weight: 550;
  }
  .row small {
    display: block;
    color: var(--_quiet);
    font-size: ${em(12)};
    line-height: ${em(16, 12)};
  }
  .rows::after {
    content: '';
    position: sticky;
    inset-block-end: ${em(-4)};
    display: block;
    height: ${em(32)};
    margin-top: ${em(-32)};
    background: linear-gradient(transparent, var(--_surface));
    opacity: 0;
    pointer-events: none;
    animation: more linear both;
    animation-timeline: scroll();
  }
  @keyframes more {
    0%,
    85% {
      opacity: 1;
    }
  }
  @media (forced-colors: active) {
    .row:has(:focus-visible) {
      outline-color: Highlight;
    }
    .row input:checked {
      border-color: Highlight;
    }
  }
`
