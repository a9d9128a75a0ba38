import * as v from 'valibot'

// Names become file names, so paths, hidden files and names that Windows reserves are not allowed.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it keeps out.
const forbiddenInNames = /[\u0000-\u001f\u007f/\\:*?"<>|]|^\.|[. ]$|^(con|prn|aux|nul|com\d|lpt\d)$/i

/** Whether a text is a valid note name on every operating system. */
export function isNoteName(text: string): boolean {
  return text.length > 0 && text.length <= 100 && text.trim() === text && !forbiddenInNames.test(text)
}

const noteName = v.pipe(
  v.string(),
  v.check(isNoteName, 'A name may not be empty, end in a dot, or contain / \\ : * ? " < > |'),
)
const noteText = v.pipe(v.string(), v.maxLength(2_000_000, 'A note may have up to two million characters'))

// Markup makes a page longer than its note.
const html = v.pipe(v.string(), v.maxLength(20_000_000, 'The note is too long to export'))

/** The schema of each message, checked before its handler runs. */
export const notebookMessages: {
  readonly query: v.GenericSchema<unknown, [string]>
  readonly name: v.GenericSchema<unknown, [string]>
  readonly names: v.GenericSchema<unknown, [string, string]>
  readonly note: v.GenericSchema<unknown, [string, string]>
  readonly page: v.GenericSchema<unknown, [string, string]>
  readonly nothing: v.GenericSchema<unknown, []>
} = {
  query: v.strictTuple([v.pipe(v.string(), v.maxLength(200))]),
  name: v.strictTuple([noteName]),
  names: v.strictTuple([noteName, noteName]),
  note: v.strictTuple([noteName, noteText]),
  page: v.strictTuple([noteName, html]),
  nothing: v.strictTuple([]),
}
