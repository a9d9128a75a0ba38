const uuidPattern = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gi
const maxDepth = 5

/**
 * Copies the useful parts of a foreign error (name, message, code, causes) and drops the rest: the raw error may
 * contain the request with the license id and the Authorization header.
 */
export function safeCause(raw: unknown, accessToken: string | undefined, depth = 0): Error {
  // An error's fields can have any type.
  const scrub = (text: unknown): string => {
    const withoutIds = String(text).replaceAll(uuidPattern, '<id>')
    return accessToken === undefined ? withoutIds : withoutIds.replaceAll(accessToken, '<token>')
  }
  if (!(raw instanceof Error)) return frame(new Error('A value that is not an Error was thrown'), 'NonError')
  const cause =
    raw.cause === undefined || depth >= maxDepth
      ? undefined
      : { cause: safeCause(raw.cause, accessToken, depth + 1) }
  const code = 'code' in raw && typeof raw.code === 'string' ? scrub(raw.code) : undefined
  const safe = frame(new Error(scrub(raw.message) || code || 'unknown', cause), scrub(raw.name))
  return code === undefined ? safe : Object.assign(safe, { code })
}

function frame(error: Error, name: string): Error {
  error.name = name
  // Stack frames of this file would be misleading.
  error.stack = `${name}: ${error.message}`
  return error
}
