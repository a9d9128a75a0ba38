import { accentPalette, cssColour, type Rgb } from './accent-palette.ts'
import { readColour } from './read-colour.ts'

const builtIn: Rgb = [62, 92, 232]
// The page in the light theme, the lists in the dark one: where the accent has the hardest time.
const backgrounds = { light: [248, 248, 250], dark: [39, 39, 44] } as const

/** Sets the colours made from an accent on an element; what is no colour gets the built-in one. */
export function applyAccent(element: HTMLElement, accent: string | null): void {
  const wanted = accent ?? getComputedStyle(element).getPropertyValue('--latchkey-accent')
  const colour = readColour(wanted.trim()) ?? builtIn
  const set = (name: string, value: Rgb): void => {
    // Through the style object: a style attribute in markup would need an unsafe policy.
    element.style.setProperty(`--_accent-${name}`, cssColour(value))
  }
  for (const theme of ['light', 'dark'] as const) {
    const { fill, onFill, text } = accentPalette(colour, backgrounds[theme])
    set('fill', fill)
    set('on-fill', onFill)
    set(`text-${theme}`, text)
  }
}
