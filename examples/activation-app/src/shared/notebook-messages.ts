import * as z from 'zod/mini'

// Names become file names, so paths, hidden files and names that Windows reserves are not allowed.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it keeps out.
const forbiddenInNames = /[\u0000-\u001f\u007f/\\:*?"<>|]|^\.|[. ]$|^(con|prn|aux|nul|com\d|lpt\d)$/i

/** Whether a text is a valid note name on every operating system. */
export function isNoteName(text: string): boolean {
  return text.length > 0 && text.length <= 100 && text.trim() === text && !forbiddenInNames.test(text)
}

const noteName = z
  .string()
  .check(z.refine(isNoteName, 'A name may not be empty, end in a dot, or contain / \\ : * ? " < > |'))
const noteText = z.string().check(z.maxLength(2_000_000, 'A note may have up to two million characters'))

// Markup makes a page longer than its note.
const html = z.string().check(z.maxLength(20_000_000, 'The note is too long to export'))

/** The schema of each message, checked before its handler runs. */
export const notebookMessages: {
  readonly query: z.ZodMiniType<[string]>
  readonly name: z.ZodMiniType<[string]>
  readonly names: z.ZodMiniType<[string, string]>
  readonly note: z.ZodMiniType<[string, string]>
  readonly page: z.ZodMiniType<[string, string]>
  readonly nothing: z.ZodMiniType<[]>
} = {
  query: z.tuple([z.string().check(z.maxLength(200))]),
  name: z.tuple([noteName]),
  names: z.tuple([noteName, noteName]),
  note: z.tuple([noteName, noteText]),
  page: z.tuple([noteName, html]),
  nothing: z.tuple([]),
}
