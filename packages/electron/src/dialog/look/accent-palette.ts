/** A color as red, green and blue, each 0 to 255. */
export type Rgb = readonly [red: number, green: number, blue: number]

/** Colors derived from an accent so that everything stays readable on one theme's background. */
export interface AccentPalette {
  /** Fill of the main button: the accent, at most a fifth darker if that makes white text readable. */
  readonly fill: Rgb
  /** Text on the fill: white if possible, otherwise black. Contrast at least 4.5:1. */
  readonly onFill: Rgb
  /** What shades the fill: the opposite of its text, so that contrast only increases. */
  readonly away: Rgb
  /** The accent as text, edge and focus ring: shifted until its contrast on the background, tinted or not, is 4.5:1. */
  readonly text: Rgb
}

const white: Rgb = [255, 255, 255]
const black: Rgb = [0, 0, 0]
const readable = 4.5
/** How much black a fill may get so that white text is readable. */
const mostBlack = 0.2
/** The largest share of the accent in the background of accent-colored text. */
const strongestTint = 0.16

/** Derives an accent's palette for a background. */
export function accentPalette(accent: Rgb, background: Rgb): AccentPalette {
  const text = readableOn(accent, background)
  for (let share = 0; share <= mostBlack; share += 0.02) {
    const fill = mix(accent, black, share)
    if (contrast(fill, white) >= readable) return { fill, onFill: white, away: black, text }
  }
  return { fill: accent, onFill: black, away: white, text }
}

/** Returns black or white, whichever is more readable. */
function readerOn(color: Rgb): Rgb {
  return contrast(color, white) >= contrast(color, black) ? white : black
}

function readableOn(color: Rgb, background: Rgb): Rgb {
  const towards = readerOn(background)
  for (let share = 0; share < 1; share += 0.05) {
    const shifted = mix(color, towards, share)
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

/** Returns the color in CSS notation. */
export function cssColor([red, green, blue]: Rgb): string {
  return `rgb(${red} ${green} ${blue})`
}
