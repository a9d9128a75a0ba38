/** How a bitmap starts, with one character for each byte: GIF, JPEG, PNG and WebP. */
const starts = [/^GIF8/u, /^\xff\xd8\xff/u, /^\x89PNG/u, /^RIFF.{4}WEBP/su]

/** Length of the text that contains the first bytes of a bitmap, in either encoding. */
const startLength = 64

/**
 * Whether a `data:` URL probably contains an image: its first bytes are those of a bitmap, or it has an `svg` element.
 *
 * @param url a `data:image/…` URL.
 */
export function containsImage(url: string): boolean {
  const comma = url.indexOf(',')
  const head = url.slice('data:'.length, comma).toLowerCase()
  const isSvg = head.startsWith('image/svg+xml')
  const content = decodePercents(url.slice(comma + 1, isSvg ? undefined : comma + 1 + startLength))
  const bytes = head.endsWith(';base64') ? Buffer.from(content, 'base64').toString('latin1') : content
  // UTF-16 has a zero in each letter.
  if (isSvg) return /<(?:[\w-]+:)?svg\b/u.test(bytes.replaceAll('\0', ''))
  // A browser goes by the content of a bitmap, not by its type.
  return starts.some((start) => start.test(bytes))
}

function decodePercents(text: string): string {
  return text.replace(/%([\da-f]{2})/giu, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}
