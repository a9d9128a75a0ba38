const uuidPattern = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i

/** Whether a text is exactly a UUID, of any version and in either letter case. */
export function isUuid(text: unknown): text is string {
  return typeof text === 'string' && uuidPattern.test(text)
}
