// Not imported from the commerce client, because an app with another service would then contain that client twice.
/** Maximum size of a decompressed response body, in bytes: 2 MiB. A larger one is an `unexpected-answer`. */
export const maxAnswerBytes: number = 2 * 1024 * 1024

/** Reads a body as UTF-8. Returns `null` as soon as the body is too large, without reading the rest. */
export async function readText(response: Response): Promise<string | null> {
  // Chromium cuts off what a proxy for outgoing requests answers. Its status says enough.
  if (response.body === null || response.status === 407) return ''
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let leftBytes = maxAnswerBytes
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    leftBytes -= value.byteLength
    if (leftBytes < 0) {
      reader.cancel().catch(() => {})
      return null
    }
    text += decoder.decode(value, { stream: true })
  }
}
