import { ofUnicode } from './of-unicode.ts'

/**
 * Match a plain UUID, then a UUID that is broken by white space, as in a narrow email column.
 *
 * @param before pattern of what comes before the UUID.
 */
export function uuidForms(before = '(?<![\\w-])'): readonly RegExp[] {
  return ['', '\\s*'].map((space) => {
    const groups = [8, 4, 4, 4, 12].map((digits) => `(?:[\\da-f]${space}){${digits}}`)
    return new RegExp(`${before}${groups.join(`-${space}`)}(?![\\w-])`, 'giu')
  })
}

/** Match a UUID after an optional prefix such as `INKWELL-`. */
export function prefixedUuidForms(): readonly RegExp[] {
  // Not the last letter of a sentence in Chinese, for example, which a prefix of Latin letters follows without a space.
  const letter = `(?![^\\w${ofUnicode('LC')}\u0300-\u036f]\\w)${ofUnicode('IDC')}`
  const mark = '[.&+!@$%~-]'
  return uuidForms(`(?:${letter}(?<!${letter}${mark}*${letter})(?:${letter}|${mark})*-|(?<![\\w-]))`)
}
