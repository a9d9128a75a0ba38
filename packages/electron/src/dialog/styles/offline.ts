import { css } from './css.ts'
import { em } from './em.ts'

/** The QR code, the links beside the request, and the field for an answer. Loaded with the screen that shows them. */
export const offlineStyles: string = css`
  .scan {
    display: block;
    width: min(100%, ${em(248)});
    height: auto;
    margin: 0 auto ${em(16)};
    border-radius: var(--_radius);
    background: #fff;
    fill: #000;
    stroke: none;
    shape-rendering: crispEdges;
    forced-color-adjust: none;
  }
  .way {
    color: var(--_accent-text);
  }
  .way:hover {
    text-decoration: underline;
  }
  .facts .ways {
    flex-wrap: wrap;
    justify-content: flex-end;
    gap: 0 ${em(16)};
  }
  .answer {
    height: auto;
    padding: 0;
  }
  .answer:has(:focus) {
    border-color: var(--_ring);
    outline: 3px solid color-mix(in srgb, var(--_ring) 28%, transparent);
  }
  .answer textarea {
    flex: 1;
    height: ${em(112)};
    padding: ${em(10)} ${em(12)};
    border-radius: inherit;
    font-family: var(--_mono);
    font-size: ${em(13)};
    overflow-wrap: anywhere;
    outline: none;
    resize: none;
    cursor: text;
    user-select: text;
  }
  .answer + .slot {
    min-height: ${em(68, 13)};
  }
`
