const uuidPattern = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i

/** Whether a text is a UUID of any version, in either letter case, and nothing besides. */
export function isUuid(text: unknown): text is string {
  return typeof text === 'string' && uuidPattern.test(text)
}
