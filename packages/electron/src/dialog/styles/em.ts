/**
 * Returns a length in `em`, so that `--latchkey-font-size` scales the whole screen.
 *
 * @param px the length if text is 14 pixels high
 * @param fontPx the element's own font size, if it differs
 */
export function em(px: number, fontPx = 14): string {
  // Rounded up, because layout cuts lengths off at 1/64 pixel and a height must not fall below a whole pixel.
  return `${Math.ceil((px / fontPx) * 1e3) / 1e3}em`
}
