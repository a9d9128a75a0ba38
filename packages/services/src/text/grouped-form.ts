import { casedLetters } from './of-unicode.ts'

/**
 * Matches keys in an unknown format: groups of letters and digits, at least 12 characters, with both of them. A timestamp
 * such as 2026-11-24T18:04Z is none.
 */
export function groupedForm(): RegExp {
  const letters = casedLetters()
  const any = `[\\w${letters}-]`
  const group = `[\\d${letters}]+`
  return new RegExp(
    `(?<!${any})(?!\\d{4}-\\d\\d-\\d\\dT)(?=${any}{12})(?=${any}*\\d)(?=${any}*[${letters}])${group}(?:-+${group})+(?!${any})`,
    'gu',
  )
}
