import { maskLicenseKey, readLicenseKeyText } from '../shared/license-key-text.ts'
import type { ProblemCode } from '../shared/problem.ts'

/** What the field for the license key knows. Its text stays in the input and nowhere else. */
export interface KeyField {
  /** The key found in the field, masked; `null` for none. */
  readonly foundKey: string | null
  /** What is wrong with what was just pasted; `null` for nothing. */
  readonly pasteProblem: ProblemCode | null
  /** Whether the text came from a link the user opened. */
  readonly isFromLink: boolean
  /** Whether the text was changed since it was sent. */
  readonly isEdited: boolean
  fill(input: HTMLInputElement, text: string, isFromLink: boolean): void
  input(input: HTMLInputElement): void
  /** Keeps the key of a pasted or dropped text and leaves the rest out. */
  take(event: ClipboardEvent | DragEvent, input: HTMLInputElement): void
  /** The text, to be sent. */
  send(input: HTMLInputElement): string
}

/** Makes the field's knowledge. @param onChange is called after every change */
export function createKeyField(onChange: () => void): KeyField {
  let foundKey: string | null = null
  let pasteProblem: ProblemCode | null = null
  let isFromLink = false
  let isEdited = false

  const look = (input: HTMLInputElement): void => {
    const read = readLicenseKeyText(input.value)
    foundKey = read.ok ? maskLicenseKey(read.licenseKey) : null
    onChange()
  }
  const edited = (): void => {
    isEdited = true
    isFromLink = false
    pasteProblem = null
  }
  return {
    get foundKey() {
      return foundKey
    },
    get pasteProblem() {
      return pasteProblem
    },
    get isFromLink() {
      return isFromLink
    },
    get isEdited() {
      return isEdited
    },
    fill: (input, text, fromLink) => {
      input.value = text
      isFromLink = fromLink
      look(input)
    },
    input: (input) => {
      edited()
      look(input)
    },
    take: (event, input) => {
      const carried = event instanceof DragEvent ? event.dataTransfer : event.clipboardData
      const text = carried?.getData('text/plain') ?? ''
      const read = readLicenseKeyText(text)
      edited()
      if (read.ok) {
        event.preventDefault()
        input.value = read.licenseKey
      } else if (read.code === 'several-license-keys' || read.code === 'text-too-long') {
        event.preventDefault()
        pasteProblem = read.code
      }
      look(input)
    },
    send: (input) => {
      isEdited = false
      pasteProblem = null
      return input.value
    },
  }
}
