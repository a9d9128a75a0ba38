import { statSync } from 'node:fs'
import { addAbortSignal, type Readable, type Writable } from 'node:stream'
import { CommandError } from './command-error.ts'

/** The streams and variables of a process. */
export interface ProcessParts {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: Readable
  readonly stdout: Writable & { readonly isTTY?: boolean }
  readonly stderr: Writable & { readonly isTTY?: boolean }
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
}

/** The input and output of a command. Nothing that a service sends reaches a screen with control characters. */
export interface Terminal {
  readonly env: ProcessParts['env']
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
  /** Standard error as a stream, if it is a screen. */
  readonly screen: Writable | null
  /**
   * Writes a result and waits until the reader has accepted it. Rejects with an `EPIPE` error if the reader has closed the
   * pipe, and with a `CommandError` if the text can't be written.
   */
  write(text: string): Promise<void>
  /** Writes data like {@link Terminal.write}, but unchanged unless standard output is a screen. */
  writeData(text: string): Promise<void>
  /** Writes a JSON document. */
  writeJson(value: unknown): Promise<void>
  /** Writes a message to standard error. */
  tell(text: string): void
  /** Reads all of standard input. Rejects with an `AbortError` when {@link Terminal.signal} is aborted. */
  readInput(): Promise<string>
}

export function createTerminal({ env, stdin, stdout, stderr, signal }: ProcessParts): Terminal {
  const send = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      stdout.write(text, (error) => {
        if (error == null) resolve()
        else reject(isClosedPipe(error) ? error : writeError('Standard output', error))
      })
    })
  return {
    env,
    signal,
    screen: stderr.isTTY === true ? stderr : null,
    write: (text) => send(printableLines(text)),
    writeData: (text) => send(stdout.isTTY === true ? printableLines(text) : text),
    writeJson: (value) => send(`${escapeUnprintable(JSON.stringify(value, null, 2))}\n`),
    tell: (text) => void stderr.write(printableLines(text)),
    async readInput() {
      const chunks: Buffer[] = []
      for await (const chunk of addAbortSignal(signal, stdin)) chunks.push(Buffer.from(chunk))
      return decodeText(Buffer.concat(chunks))
    },
  }
}

/** Makes a value from outside safe to print. Control characters could move the cursor, or add or hide a line. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}|\p{Cf}/gu, '�')
}

function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n')
}

/** Escapes what isn't printable. The document's own line breaks stay. */
function escapeUnprintable(json: string): string {
  const codeOf = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return json.replace(/(?!\n)[\p{Cc}\p{Cf}]/gu, (character) => character.split('').map(codeOf).join(''))
}

/** Formats rows as aligned columns with headings. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows].map((row) => row.map(printable))
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  const format = (line: readonly string[]): string =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  return lines.map((line) => `${format(line)}\n`).join('')
}

/** Makes a sentence of a phrase: `seats are full` becomes `Seats are full.` */
export function asSentence(phrase: string): string {
  return `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}${/[.?]$/u.test(phrase) ? '' : '.'}`
}

/** Whether the reader of standard output closed it, as `head` does. This is not an error. */
export function isClosedPipe(error: unknown): boolean {
  return systemCodeOf(error) === 'EPIPE'
}

/** Decodes a text file. PowerShell's `>` writes UTF-16, which begins with a byte order mark. */
export function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes
  const isLittleEndian = first === 0xff && second === 0xfe
  const isBigEndian = first === 0xfe && second === 0xff
  const encoding = isLittleEndian ? 'utf-16le' : isBigEndian ? 'utf-16be' : 'utf-8'
  return new TextDecoder(encoding).decode(bytes)
}

/** Refuses a folder in place of a file to write. @param option the option that names the file. @throws {CommandError} */
export function refuseFolder(file: string, option: string): void {
  const isFolder = file.endsWith('/') || statSync(file, { throwIfNoEntry: false })?.isDirectory() === true
  if (isFolder) {
    throw new CommandError(`${option} names a folder. Add the name of a file to it.`)
  }
}

/** Explanations of system error codes. */
const writeProblems: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'your share of the disk is full',
  EFBIG: 'a file may not be this large there',
  EROFS: 'the disk is read-only',
  ENOENT: 'there is no such folder',
  ENOTDIR: 'there is no such folder',
  EACCES: 'its permissions forbid it',
  EPERM: 'its permissions forbid it',
}

/** The error for output that can't be written. @param what a file's name, or `Standard output`. */
export function writeError(what: string, error: unknown): CommandError {
  const code = systemCodeOf(error)
  const problem = Object.hasOwn(writeProblems, code) ? `${writeProblems[code]} (${code})` : code
  return new CommandError(`${what} cannot be written: ${problem || 'the reason is unknown'}.`)
}

/** Returns the code of a system error, such as `EEXIST`; empty if it has none. */
export function systemCodeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
