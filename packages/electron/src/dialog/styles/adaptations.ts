import { css } from './css.ts'
import { em } from './em.ts'

/** Styles for narrow pages, and for users who prefer more contrast, less transparency, fewer colors or less motion. */
export const adaptations: string = css`
  @container (max-width: ${em(400)}) {
    .hero,
    .body {
      padding-inline: ${em(20)};
    }
    .foot {
      padding-inline: ${em(12, 13)};
    }
    .box input {
      font-size: ${em(12)};
      letter-spacing: -0.03em;
    }
  }
  @media (prefers-contrast: more), (prefers-reduced-transparency: reduce), (forced-colors: active) {
    .glow {
      display: none;
    }
  }
  @media (forced-colors: active) {
    button,
    .badge,
    .group,
    .menu,
    .notice,
    .selectable,
    .token,
    span.logo {
      border: 1px solid ButtonText;
    }
    .actions .primary {
      forced-color-adjust: none;
      background: Highlight;
      color: HighlightText;
    }
    button:focus-visible {
      outline-color: CanvasText;
    }
    .box:has(input:focus) {
      outline-color: Highlight;
    }
    .pips .used {
      border-color: Highlight;
    }
  }
  @media (prefers-reduced-motion: no-preference) {
    .glow {
      transition: opacity 0.4s;
    }
    .badge {
      animation: pop 0.28s cubic-bezier(0.2, 1.4, 0.4, 1);
    }
    .done path {
      stroke-dasharray: 16;
      animation: check 0.3s 0.16s ease-out backwards;
    }
    .spinner {
      animation-duration: 0.8s;
    }
  }
  @keyframes pop {
    from {
      opacity: 0;
      scale: 0.5;
    }
  }
  @keyframes check {
    from {
      stroke-dashoffset: 16;
    }
  }
`
