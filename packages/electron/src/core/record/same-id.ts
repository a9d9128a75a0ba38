const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i

/**
 * Whether two ids identify the same license or key. UUIDs are compared without regard to case, because a service may
 * change it. All other ids are compared exactly.
 */
export function isSameId(one: string, other: string): boolean {
  return one === other || (uuid.test(one) && one.toLowerCase() === other.toLowerCase())
}
