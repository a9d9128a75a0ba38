/** Returns a text as a QR code, as SVG; `null` if it is too long for one. Loaded when the page first asks for one. */
export async function drawCode(text: string): Promise<string | null> {
  const { default: encodeQR } = await import('qr')
  try {
    return encodeQR(text, 'svg', { ecc: 'low', border: 4 })
  } catch {
    return null
  }
}
