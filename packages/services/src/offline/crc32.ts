const table = Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value >>> 0
})

/** CRC-32 of a text in ASCII, as 8 hex digits. It reveals text that was cut off or mistyped, not forgery. */
export function crc32(text: string): string {
  let sum = 0xffffffff
  for (let index = 0; index < text.length; index += 1) {
    sum = (sum >>> 8) ^ (table[(sum ^ text.charCodeAt(index)) & 0xff] ?? 0)
  }
  return ((sum ^ 0xffffffff) >>> 0).toString(16).padStart(8, '0')
}
