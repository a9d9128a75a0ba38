/** A QR code to draw. */
export interface DrawnCode {
  /** Width and height with the quiet zone around it, in modules. */
  readonly size: number
  /** Its dark modules, as the path of an SVG with that size. */
  readonly path: string
}

/** The most modules that a phone still reads from a display of ordinary density. */
const mostModules = 125

/** Draws a text as a QR code; `null` if it is too long for one. The library is loaded at the first use. */
export async function drawCode(text: string): Promise<DrawnCode | null> {
  try {
    const { default: encodeQR } = await import('qr')
    const rows = encodeQR(text, 'raw', { ecc: 'low', border: 4 })
    if (rows.length > mostModules) return null
    const path = rows
      .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
      .join('')
    return { size: rows.length, path }
  } catch {
    return null
  }
}
