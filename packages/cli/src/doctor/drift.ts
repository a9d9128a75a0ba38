/**
 * Returns the names of fields in an answer that aren't documented, such as `data[].nickname`.
 *
 * @param raw the answer as received.
 * @param known the same answer, parsed by its schema, which drops unknown fields.
 */
export function unknownFields(raw: unknown, known: unknown, path = ''): readonly string[] {
  if (Array.isArray(raw) && Array.isArray(known)) {
    return distinct(raw.flatMap((item, index) => unknownFields(item, known[index], `${path}[]`)))
  }
  if (!isRecord(raw) || !isRecord(known)) return []
  return distinct(
    Object.entries(raw).flatMap(([name, value]) => {
      const field = path === '' ? name : `${path}.${name}`
      return name in known ? unknownFields(value, known[name], field) : [field]
    }),
  )
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function distinct(names: readonly string[]): readonly string[] {
  return [...new Set(names)]
}
