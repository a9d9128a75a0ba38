import { css } from './css.ts'
import { em } from './em.ts'

/**
 * The license's details, and lists to choose from. A long list ends in the middle of a row and fades out as long as
 * there is more. Before Chrome 115, which added scroll timelines, the animation ends at once.
 */
export const lists: string = css`
  .group {
    border: 1px solid var(--_line);
    border-radius: ${em(12)};
    background: var(--_surface) padding-box;
    box-shadow: var(--_raise);
    overflow: hidden;
  }
  .facts > div {
    display: flex;
    flex-wrap: wrap;
    justify-content: space-between;
    gap: 0 ${em(16)};
    margin-inline: ${em(16)};
    padding-block: ${em(10)};
  }
  .facts > div + div {
    border-top: 1px solid var(--_line);
  }
  dt {
    color: var(--_quiet);
  }
  dd {
    display: flex;
    align-items: center;
    gap: ${em(8)};
    font-weight: 500;
    font-variant-numeric: tabular-nums;
    text-align: end;
    user-select: text;
  }
  .code {
    font-family: var(--_mono);
  }
  .pips {
    flex: none;
    display: flex;
    gap: ${em(4)};
  }
  .pips i {
    width: ${em(8)};
    height: ${em(8)};
    border: 1.5px solid var(--_edge);
    border-radius: 50%;
  }
  .pips .used {
    border: ${em(4)} solid var(--_accent-text);
  }
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
`
