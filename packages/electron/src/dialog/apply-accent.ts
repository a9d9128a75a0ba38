import { accentPalette, cssColour, type Rgb } from './accent-palette.ts'
import { readColour } from './read-colour.ts'

const builtIn: Rgb = [62, 92, 232]
// The page in the light theme, the lists in the dark one: where the accent has the hardest time.
const backgrounds = { light: [248, 248, 250], dark: [39, 39, 44] } as const

/** Sets the colours made from an accent on an element; what is no colour gets the built-in one. */
export function applyAccent({ style }: HTMLElement, accent: string): void {
  // Through the style object: a style attribute in markup would need an unsafe policy.
  for (const [name, value] of accentProperties(readColour(accent))) style.setProperty(name, value)
}

/** The custom properties made from an accent. @param colour `null` for the built-in one */
export function accentProperties(colour: Rgb | null): readonly (readonly [name: string, value: string])[] {
  const on = (theme: keyof typeof backgrounds) => accentPalette(colour ?? builtIn, backgrounds[theme])
  const { fill, onFill, text } = on('light')
  return [
    ['--_accent-fill', cssColour(fill)],
    ['--_accent-on-fill', cssColour(onFill)],
    ['--_accent-text-light', cssColour(text)],
    ['--_accent-text-dark', cssColour(on('dark').text)],
  ]
}
