const uuidPattern = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i

/** Whether a text is exactly a UUID, of any version and in either letter case. */
export function isUuid(text: unknown): text is string {
  return typeof text === 'string' && uuidPattern.test(text)
}

/**
 * Whether two ids identify the same license, key or activation. UUIDs are compared regardless of case, because a
 * service may change it. All other ids are compared exactly.
 */
export function isSameId(one: string, other: string): boolean {
  return one === other || (isUuid(one) && one.toLowerCase() === other.toLowerCase())
}

/** Longest id of another form, in UTF-16 units. */
const maxIdLength = 2048

/** Whether a text can be an id of another form: one line of whole characters, and no part of a path such as `..`. */
export function isAnyId(text: unknown): text is string {
  return (
    typeof text === 'string' &&
    text !== '' &&
    text.length <= maxIdLength &&
    !/[\p{Cc}\p{Surrogate}\u2028\u2029]|^\.{1,2}$/u.test(text)
  )
}

/** Encodes an id of any form for a path, without a character that a proxy could decode or change. */
export function encodeAnyId(id: string): string {
  if (isUuid(id)) return id
  const bytes = Array.from(new TextEncoder().encode(id), (byte) => String.fromCharCode(byte))
  const base64 = btoa(bytes.join(''))
  return `~${base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`
}
