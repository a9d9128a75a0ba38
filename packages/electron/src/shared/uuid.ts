const form = String.raw`[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}`
const whole = new RegExp(`^${form}$`, 'iu')
const atEnd = new RegExp(`^(?:.*-)?${form}$`, 'iu')
const anywhere = new RegExp(form, 'giu')

/** Whether a text is a UUID of any version, in any case. */
export function isUuid(text: string): boolean {
  return whole.test(text)
}

/** Whether a text is a UUID, or ends with one after a hyphen. */
export function endsWithUuid(text: string): boolean {
  return atEnd.test(text)
}

/** Returns the text with each UUID replaced. */
export function replaceUuids(text: string, replacementOf: (uuid: string) => string): string {
  return text.replace(anywhere, replacementOf)
}
