import type { Rgb } from './accent-palette.ts'

/** Any opaque CSS colour as red, green and blue; `null` for what is no colour. */
export function readColour(text: string): Rgb | null {
  const written = readHexColour(text)
  if (written !== null || !CSS.supports('color', text)) return written
  const canvas = document.createElement('canvas')
  canvas.width = 1
  canvas.height = 1
  const context = canvas.getContext('2d')
  if (context === null) return null
  // Painting resolves every notation, named and wide-gamut ones included.
  context.fillStyle = text
  context.fillRect(0, 0, 1, 1)
  const [red = 0, green = 0, blue = 0, alpha = 0] = context.getImageData(0, 0, 1, 1).data
  return alpha === 255 ? [red, green, blue] : null
}

/** A colour in the notation most are written in: `#35499f`. A canvas takes longer than drawing the whole screen. */
export function readHexColour(text: string): Rgb | null {
  if (!/^#[\da-f]{6}$/iu.test(text)) return null
  const number = Number.parseInt(text.slice(1), 16)
  return [number >> 16, (number >> 8) & 255, number & 255]
}
