import type { Rgb } from './accent-palette.ts'

/** Reads any opaque CSS color; `null` if it isn't one. @param element an element in the page to try it on */
export function readColor(text: string, element: HTMLElement): Rgb | null {
  const written = readHexColor(text)
  if (written !== null || !CSS.supports('color', text)) return written
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

/** Reads a color in the most common notation, `#35499f`, without a page. */
export function readHexColor(text: string): Rgb | null {
  if (!/^#[\da-f]{6}$/iu.test(text)) return null
  const number = Number.parseInt(text.slice(1), 16)
  return [number >> 16, (number >> 8) & 255, number & 255]
}
