/** A color as red, green and blue, each 0 to 255. */
export type Rgb = readonly [red: number, green: number, blue: number]

/** The main button's fill, derived from an accent. */
export interface AccentFill {
  /** The accent, at most a fifth darker if that makes white text readable. */
  readonly fill: Rgb
  /** Text on the fill: white if possible, otherwise black. Contrast at least 4.5:1. */
  readonly onFill: Rgb
  /** What shades the fill: the opposite of its text, so that contrast only increases. */
  readonly away: Rgb
}

const white: Rgb = [255, 255, 255]
const black: Rgb = [0, 0, 0]
const readable = 4.5
/** How much black a fill may get so that white text is readable. */
const mostBlack = 0.2
/** The largest share of the accent in the background of accent-colored text. */
const strongestTint = 0.16
// The foot in the light theme and the lists in the dark one are where the accent has the least contrast.
const backgrounds = { light: [235, 235, 237], dark: [42, 42, 46] } as const

/** Returns the custom properties derived from an accent. The theme has those of the built-in one. */
export function accentProperties(accent: Rgb): Readonly<Record<string, Rgb>> {
  const { fill, onFill, away } = accentFill(accent)
  return {
    '--_accent-fill': fill,
    '--_accent-on-fill': onFill,
    '--_accent-away': away,
    '--_accent-text-light': accentText(accent, backgrounds.light),
    '--_accent-text-dark': accentText(accent, backgrounds.dark),
  }
}

/** Derives the main button's fill from an accent. */
export function accentFill(accent: Rgb): AccentFill {
  for (let share = 0; share <= mostBlack; share += 0.02) {
    const fill = mix(accent, black, share)
    if (contrast(fill, white) >= readable) return { fill, onFill: white, away: black }
  }
  return { fill: accent, onFill: black, away: white }
}

/** Returns the accent as text, edge and focus ring: shifted until its contrast on the background, tinted or not, is 4.5:1. */
export function accentText(accent: Rgb, background: Rgb): Rgb {
  const towards = contrast(background, white) >= contrast(background, black) ? white : black
  for (let share = 0; share < 1; share += 0.05) {
    const shifted = mix(accent, towards, share)
    if (contrast(shifted, mix(background, shifted, strongestTint)) >= readable) return shifted
  }
  return towards
}

function mix([r1, g1, b1]: Rgb, [r2, g2, b2]: Rgb, share: number): Rgb {
  const between = (from: number, to: number): number => Math.round(from + (to - from) * share)
  return [between(r1, r2), between(g1, g2), between(b1, b2)]
}

/** Returns the WCAG 2 contrast of two colors: 1 to 21. */
export function contrast(one: Rgb, other: Rgb): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance([red, green, blue]: Rgb): number {
  const linear = (channel: number): number => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

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
  for (const [name, value] of Object.entries(accentProperties(color ?? white))) {
    element.style.setProperty(name, color === null ? '' : `rgb(${value.join(' ')})`)
  }
}

/** Reads any opaque CSS color; `null` if it isn't one. @param element an element in the page to try it on */
function readColor(text: string, element: HTMLElement): Rgb | null {
  if (!CSS.supports('color', text)) return null
  const { style } = element
  const { color } = style
  // Mixing a color with itself resolves every notation to one, including named and wide-gamut colors.
  style.color = `color-mix(in srgb, ${text}, ${text})`
  const [red = 0, green = 0, blue = 0, alpha = 1] = Array.from(
    getComputedStyle(element).color.matchAll(/-?[\d.]+(?:e-?\d+)?/gu),
    ([number]) => Math.min(Math.max(Number(number), 0), 1),
  )
  style.color = color
  return alpha === 1 ? [Math.round(red * 255), Math.round(green * 255), Math.round(blue * 255)] : null
}
