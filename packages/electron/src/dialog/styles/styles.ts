import adaptations from './adaptations.css'
import controls from './controls.css'
import dark from './dark.css'
import layout from './layout.css'
import lists from './lists.css'
import lightTheme from './theme.css'

let shared: readonly [light: CSSStyleSheet, rest: CSSStyleSheet] | null = null

/** Returns the style sheets of an element. @param theme its attribute; the system decides unless it names a theme */
export function sheetsFor(theme: string | null | undefined): CSSStyleSheet[] {
  // The page's policy allows no styles but these. Elements share all sheets but the one that depends on their theme.
  shared ??= [sheetOf(lightTheme), sheetOf(layout + controls + lists + adaptations)]
  const [light, rest] = shared
  if (theme === 'light') return [light, rest]
  const media = theme === 'dark' ? 'all' : '(prefers-color-scheme: dark)'
  return [light, sheetOf(dark, { media }), rest]
}

function sheetOf(styles: string, options?: CSSStyleSheetInit): CSSStyleSheet {
  const sheet = new CSSStyleSheet(options)
  sheet.replaceSync(styles)
  return sheet
}
