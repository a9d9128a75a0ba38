/**
 * Reads a body as UTF-8, up to `maxBytes`. The limit applies after decompression, so that a small download that unpacks
 * to gigabytes is stopped too.
 *
 * @returns the text, or `null` if the body is larger; then the rest is never read.
 */
export async function readBoundedText(response: Response, maxBytes: number): Promise<string | null> {
  if (response.body === null) return ''
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let byteCount = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    byteCount += value.byteLength
    if (byteCount > maxBytes) {
      reader.cancel().catch(() => {})
      return null
    }
    text += decoder.decode(value, { stream: true })
  }
}
