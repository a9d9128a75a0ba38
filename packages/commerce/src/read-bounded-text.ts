/**
 * Reads a body as UTF-8, but no more than `maxBytes` of it. What counts is what comes out of decompression, so a small
 * download that unpacks to gigabytes is cut off as well.
 *
 * @returns the text, or `null` when the body is larger; the rest of it is then never read.
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
