import { maskLicenseKey, readLicenseKeyText } from '../shared/license-key-text.ts'
import type { ProblemCode } from '../shared/problem.ts'

/** What the field for the license key knows. Its text stays in the input and nowhere else. */
export interface KeyField {
  /** Whether license keys may be any text: then the main process finds them. */
  takesAny: boolean
  /** The key found in the field, masked; `null` for none. */
  foundKey: string | null
  /** What is wrong with what was just pasted; `null` for nothing. */
  pasteProblem: ProblemCode | null
  /** Whether the text came from a link the user opened. */
  isFromLink: boolean
  /** Whether the text was changed since it was sent. */
  isEdited: boolean
  fill(input: HTMLInputElement, text: string, isFromLink: boolean): void
  input(input: HTMLInputElement): void
  /**
   * Keeps the key of a pasted or dropped text and leaves the rest out.
   * @param onSeveral is called with a text of which the user has to choose a key
   */
  take(
    event: Event,
    data: DataTransfer | null,
    input: HTMLInputElement,
    onSeveral: (text: string) => void,
  ): void
  /** The text, to be sent. */
  send(input: HTMLInputElement): string
}

/** Makes the field's knowledge. @param onChange is called after every change */
export function createKeyField(onChange: () => void): KeyField {
  const look = (input: HTMLInputElement): void => {
    const read = readLicenseKeyText(input.value)
    field.foundKey = read.ok && !field.takesAny ? maskLicenseKey(read.licenseKey) : null
    onChange()
  }
  const edited = (): void => {
    field.isEdited = true
    field.isFromLink = false
    field.pasteProblem = null
  }
  const field: KeyField = {
    takesAny: false,
    foundKey: null,
    pasteProblem: null,
    isFromLink: false,
    isEdited: false,
    fill: (input, text, isFromLink) => {
      input.value = text
      field.isFromLink = isFromLink
      look(input)
    },
    input: (input) => {
      edited()
      look(input)
    },
    take: (event, data, input, onSeveral) => {
      const text = data?.getData('text/plain') ?? ''
      const read = readLicenseKeyText(text)
      edited()
      if (field.takesAny) return
      if (read.ok) input.value = read.licenseKey
      else if (read.code === 'several-license-keys') onSeveral(text)
      else if (read.code === 'text-too-long') field.pasteProblem = read.code
      // Anything else may be a piece of a key, to be completed by hand.
      else return
      event.preventDefault()
      look(input)
    },
    send: (input) => {
      field.isEdited = false
      field.pasteProblem = null
      return input.value
    },
  }
  return field
}
