import { casedLetters } from './of-unicode.ts'

/** Matches keys in an unknown format: groups of letters and digits, at least 12 characters, with both of them. */
export function groupedForm(): RegExp {
  const letters = casedLetters()
  const any = `[\\w${letters}-]`
  const group = `[\\d${letters}]+`
  return new RegExp(
    `(?<!${any})(?=${any}{12})(?=${any}*\\d)(?=${any}*[${letters}])${group}(?:-+${group})+(?!${any})`,
    'gu',
  )
}
