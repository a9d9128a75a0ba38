/**
 * A length in `em`, so that `--latchkey-font-size` scales the whole screen.
 *
 * @param px the length where text is 14 pixels high
 * @param fontPx the element's own font size, when it is another one
 */
export function em(px: number, fontPx = 14): string {
  // Rounded up: layout cuts lengths off at 1/64 pixel, and a height must not end up below a whole one.
  return `${Math.ceil((px / fontPx) * 1e3) / 1e3}em`
}
