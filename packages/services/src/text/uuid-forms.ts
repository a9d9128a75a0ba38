import { standingAlone } from './standing-alone.ts'

/**
 * A UUID by itself, then one broken by white space, as a narrow mail column does.
 *
 * @param prefix what may stand before it.
 */
export function uuidForms(prefix = ''): readonly RegExp[] {
  return ['', '\\s*'].map((space) => {
    const groups = [8, 4, 4, 4, 12].map((digits) => `[\\da-fA-F]${space}`.repeat(digits))
    return standingAlone(prefix + groups.join(`-${space}`))
  })
}

/** The same after a prefix such as `INKWELL-`. */
export function prefixedUuidForms(): readonly RegExp[] {
  return uuidForms('(?:[\\w.]{1,40}-){0,4}?')
}
