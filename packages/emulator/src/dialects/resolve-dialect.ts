import { ControlError } from '../control-error.ts'
import { describeUnknownName, suggestion } from '../unknown-argument.ts'
import type { Dialect } from './dialect.ts'
import { type DialectName, dialects, isDialectName } from './dialects.ts'

/**
 * Returns the dialect itself, or the one with that name.
 *
 * @throws ControlError if there is no such dialect, or if it lacks a field.
 */
export function resolveDialect(dialect: Dialect | DialectName): Dialect {
  if (typeof dialect === 'string' && isDialectName(dialect)) return dialects[dialect]
  if (!isRecord(dialect)) {
    const message = describeUnknownName('dialect', dialect, Object.keys(dialects))
    throw new ControlError('invalid', `dialect: ${message}`)
  }
  const problem = findDifference(dialect, dialects.default, 'dialect')
  if (problem !== null) throw new ControlError('invalid', problem)
  return dialect
}

/** A dialect that lacks a field, or has a mistyped one, would fail at a later request. */
function findDifference(
  given: Readonly<Record<string, unknown>>,
  complete: object,
  path: string,
): string | null {
  const names = Object.keys(complete)
  for (const name of Object.keys(given)) {
    if (!names.includes(name)) return `${path}.${name} doesn't exist.${suggestion(name, names)}`
  }
  for (const [name, field] of Object.entries(complete)) {
    const value = given[name]
    if (value === undefined) return `${path}.${name} is missing: copy a dialect, such as dialects.default.`
    if (!isRecord(field)) continue
    const problem = isRecord(value)
      ? findDifference(value, field, `${path}.${name}`)
      : `${path}.${name} must be an object.`
    if (problem !== null) return problem
  }
  return null
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
