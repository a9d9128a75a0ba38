import { css } from './css.ts'
import { em } from './em.ts'

/** The license's details, and the frame around a list. */
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
`
