/** A colour as red, green and blue, each 0 to 255. */
export type Rgb = readonly [red: number, green: number, blue: number]

/** Colours made from an accent so that everything stays readable on one theme's background. */
export interface AccentPalette {
  /** The accent itself: fill of the main button. */
  readonly fill: Rgb
  /** Text on the fill: black or white, whichever reads better. At least 4.5 : 1. */
  readonly onFill: Rgb
  /** The accent as text, edge and focus ring: shifted until it has 4.5 : 1 on the background, tinted or not. */
  readonly text: Rgb
}

const white: Rgb = [255, 255, 255]
const black: Rgb = [0, 0, 0]
const readable = 4.5
/** How much of the accent its own text may have behind it. */
const strongestTint = 0.16

/** Makes the palette of an accent on a background. */
export function accentPalette(accent: Rgb, background: Rgb): AccentPalette {
  return { fill: accent, onFill: readerOn(accent), text: readableOn(accent, background) }
}

/** Black or white, whichever reads better. */
function readerOn(colour: Rgb): Rgb {
  return contrast(colour, white) >= contrast(colour, black) ? white : black
}

function readableOn(colour: Rgb, background: Rgb): Rgb {
  const towards = readerOn(background)
  for (let share = 0; share < 1; share += 0.05) {
    const shifted = mix(colour, towards, share)
    if (contrast(shifted, mix(background, shifted, strongestTint)) >= readable) return shifted
  }
  return towards
}

function mix([r1, g1, b1]: Rgb, [r2, g2, b2]: Rgb, share: number): Rgb {
  const between = (from: number, to: number): number => Math.round(from + (to - from) * share)
  return [between(r1, r2), between(g1, g2), between(b1, b2)]
}

/** Contrast of two colours by WCAG 2: 1 to 21. */
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

/** The colour as CSS writes it. */
export function cssColour([red, green, blue]: Rgb): string {
  return `rgb(${red} ${green} ${blue})`
}
