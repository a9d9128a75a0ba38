/** Decodes a text file. PowerShell's `>` writes UTF-16, which begins with a byte order mark. */
export function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes
  const isLittleEndian = first === 0xff && second === 0xfe
  const isBigEndian = first === 0xfe && second === 0xff
  const encoding = isLittleEndian ? 'utf-16le' : isBigEndian ? 'utf-16be' : 'utf-8'
  return new TextDecoder(encoding).decode(bytes)
}
