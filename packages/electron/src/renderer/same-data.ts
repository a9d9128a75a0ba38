/** Whether two plain values (objects, arrays, JSON's scalars) hold the same. */
export function sameData(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  const entries = Object.entries(one)
  return (
    Array.isArray(one) === Array.isArray(other) &&
    entries.length === Object.keys(other).length &&
    entries.every(([key, value]) => Object.hasOwn(other, key) && sameData(value, Reflect.get(other, key)))
  )
}
