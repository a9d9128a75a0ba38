const maxDepth = 5

/** Returns the code of a network error, such as `ECONNREFUSED`. A message isn't used, because it may contain anything. */
export function networkCodeOf(error: unknown): string | null {
  for (let it = error, depth = 0; it instanceof Error && depth < maxDepth; it = it.cause, depth += 1) {
    if ('code' in it && typeof it.code === 'string' && /^[A-Z][A-Z\d_]{1,39}$/u.test(it.code)) return it.code
  }
  return null
}
