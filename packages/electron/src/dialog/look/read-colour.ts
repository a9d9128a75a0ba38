import type { Rgb } from './accent-palette.ts'

/** Any opaque CSS color as red, green and blue; `null` for what is none. @param element one in the page, to try it on */
export function readColour(text: string, element: HTMLElement): Rgb | null {
  const written = readHexColour(text)
  if (written !== null || !CSS.supports('color', text)) return written
  const { style } = element
  const { color } = style
  // Mixed with itself, every notation resolves to one, named and wide-gamut ones included.
  style.color = `color-mix(in srgb, ${text}, ${text})`
  const [red = 0, green = 0, blue = 0, alpha = 1] = Array.from(
    getComputedStyle(element).color.matchAll(/-?[\d.]+(?:e-?\d+)?/gu),
    ([number]) => Math.min(Math.max(Number(number), 0), 1),
  )
  style.color = color
  return alpha === 1 ? [Math.round(red * 255), Math.round(green * 255), Math.round(blue * 255)] : null
}

/** A color in the notation most are written in: `#35499f`. It needs no page. */
export function readHexColour(text: string): Rgb | null {
  if (!/^#[\da-f]{6}$/iu.test(text)) return null
  const number = Number.parseInt(text.slice(1), 16)
  return [number >> 16, (number >> 8) & 255, number & 255]
}
