import { accentPalette, cssColor, type Rgb } from './accent-palette.ts'
import { readColor } from './read-color.ts'

// The foot in the light theme and the lists in the dark one are where the accent has the least contrast.
const backgrounds = { light: [235, 235, 237], dark: [42, 42, 46] } as const

const accentNames = [
  '--_accent-fill',
  '--_accent-on-fill',
  '--_accent-away',
  '--_accent-text-light',
  '--_accent-text-dark',
]

/** Sets the colors derived from an accent on an element. If it isn't an opaque color, the built-in ones stay, with a warning. */
export function applyAccent(element: HTMLElement, accent: string): void {
  const color = readColor(accent, element)
  if (color === null && accent !== '') {
    // biome-ignore lint/suspicious/noConsole: a page has no other log, and the element looks as if it had no accent.
    console.warn(
      `[latchkey] The accent ${JSON.stringify(accent)} isn't an opaque CSS color, so the built-in one is used.`,
    )
  }
  // Through the style object, because a style attribute in markup would need an unsafe policy.
  for (const name of accentNames) element.style.removeProperty(name)
  for (const [name, value] of color === null ? [] : accentProperties(color)) {
    element.style.setProperty(name, value)
  }
}

/** Returns the custom properties derived from an accent. The theme has those of the built-in one. */
export function accentProperties(color: Rgb): readonly (readonly [name: string, value: string])[] {
  const light = accentPalette(color, backgrounds.light)
  const values = [
    light.fill,
    light.onFill,
    light.away,
    light.text,
    accentPalette(color, backgrounds.dark).text,
  ]
  return values.map((value, index) => [accentNames[index] ?? '', cssColor(value)])
}
