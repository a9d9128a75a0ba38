/** Creates a style sheet for a shadow root. The page's policy allows no other styles. */
export function sheetOf(styles: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(styles)
  return sheet
}
