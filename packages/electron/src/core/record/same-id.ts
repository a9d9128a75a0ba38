import { isUuid } from '../../shared/uuid.ts'

/**
 * Whether two ids identify the same license or key. UUIDs are compared without regard to case, because a service may
 * change it. All other ids are compared exactly.
 */
export function isSameId(one: string, other: string): boolean {
  return one === other || (isUuid(one) && one.toLowerCase() === other.toLowerCase())
}
