import { defaultDialect } from './default-dialect.ts'
import type { Dialect } from './dialect.ts'
import { plainDialect } from './plain-dialect.ts'
import { strictDialect } from './strict-dialect.ts'

/**
 * The dialects that ship with the emulator, by name. `default` uses the usual statuses with JSON bodies. `plain`
 * accepts more and refuses with 400 and plain text. `strict` also checks headers, has more statuses and pages of keys.
 * The emulator's README has a table.
 */
export const dialects: { readonly default: Dialect; readonly plain: Dialect; readonly strict: Dialect } = {
  default: defaultDialect,
  plain: plainDialect,
  strict: strictDialect,
}

/** The name of an included dialect. */
export type DialectName = keyof typeof dialects

/** Whether `name` is an included dialect. */
export function isDialectName(name: string): name is DialectName {
  return Object.hasOwn(dialects, name)
}
