import { standingAlone } from './standing-alone.ts'

/**
 * Match a plain UUID, then a UUID that is broken by white space, as in a narrow email column.
 *
 * @param prefix pattern of an optional prefix.
 */
export function uuidForms(prefix = ''): readonly RegExp[] {
  return ['', '\\s*'].map((space) => {
    const groups = [8, 4, 4, 4, 12].map((digits) => `[\\da-fA-F]${space}`.repeat(digits))
    return standingAlone(prefix + groups.join(`-${space}`))
  })
}

/** Match a UUID after a prefix such as `INKWELL-`. */
export function prefixedUuidForms(): readonly RegExp[] {
  return uuidForms('(?:[\\w.]{1,40}-){0,4}?')
}
