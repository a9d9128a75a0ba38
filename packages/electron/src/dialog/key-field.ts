import { maskLicenseKey, readLicenseKeyText } from '../shared/license-key-text.ts'

/** The state of the license key field. The text itself is only in the input. */
export interface FieldState {
  /** Whether license keys can be any text, so that only the main process can find them. */
  takesAny: boolean
  /** The key found in the field, masked; `null` if none. */
  foundKey: string | null
  /** What is wrong with the last paste; `null` if nothing. */
  pasteProblem: 'text-too-long' | null
  /** Whether the text came from a link that the user opened. */
  isFromLink: boolean
  /** Whether the text was changed since it was submitted. */
  isEdited: boolean
}

/** The license key field. */
export interface KeyField extends FieldState {
  fill(input: HTMLInputElement, text: string, isFromLink: boolean): void
  input(input: HTMLInputElement): void
  /**
   * Keeps only the key of a pasted or dropped text.
   * @param onSeveral called with a text that contains several keys, for the user to choose one
   */
  take(
    event: Event,
    data: DataTransfer | null,
    input: HTMLInputElement,
    onSeveral: (text: string) => void,
  ): void
  /** Returns the text to submit. */
  send(input: HTMLInputElement): string
}

/** Creates the field's state. @param onChange called after every change */
export function createKeyField(onChange: () => void): KeyField {
  const look = (input: HTMLInputElement): void => {
    const read = readLicenseKeyText(input.value)
    // A link contains nothing but the key.
    const key = field.takesAny ? field.isFromLink && input.value : read.ok && read.licenseKey
    field.foundKey = key ? maskLicenseKey(key) : null
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
      // Any other text may be part of a key that the user completes by hand.
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
