const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i

/**
 * Whether two ids name the same license or key. A service may write a UUID in one case here and in another there; any
 * other id is compared exactly.
 */
export function isSameId(one: string, other: string): boolean {
  return one === other || (uuid.test(one) && one.toLowerCase() === other.toLowerCase())
}
