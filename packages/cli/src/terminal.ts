import { readFile } from 'node:fs/promises'
import type { Readable, Writable } from 'node:stream'
import { addAbortSignal } from 'node:stream'
import { getSystemErrorMap } from 'node:util'
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
export interface Terminal extends Pick<ProcessParts, 'env' | 'signal' | 'stderr'> {
  /**
   * Writes lines of a result and waits until the reader has accepted them. Rejects with an `EPIPE` error if the reader has
   * closed the pipe, and with a `CommandError` if they can't be written.
   */
  print(...lines: readonly string[]): Promise<void>
  /** Writes data, unchanged unless standard output is a screen. */
  writeData(text: string): Promise<void>
  /** Writes a JSON document. */
  writeJson(value: unknown): Promise<void>
  /** Writes lines of a message to standard error. */
  tell(...lines: readonly string[]): void
  /** Reads all of standard input. Rejects with an `AbortError` when the signal is aborted. */
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
    stderr,
    print: (...lines) => send(printable(lines)),
    writeData: (text) => send(stdout.isTTY === true ? printable(text.replace(/\n$/u, '').split('\n')) : text),
    writeJson: (value) => send(`${escapeUnprintable(JSON.stringify(value, null, 2))}\n`),
    tell: (...lines) => void stderr.write(printable(lines)),
    async readInput() {
      const chunks: Buffer[] = []
      for await (const chunk of addAbortSignal(signal, stdin)) chunks.push(Buffer.from(chunk))
      return decodeText(Buffer.concat(chunks))
    },
  }
}

/** Makes lines safe to print. Control characters of a value in them could move the cursor, or add or hide a line. */
function printable(lines: readonly string[]): string {
  return lines.map((line) => `${line.replace(/\p{Cc}|\p{Cf}/gu, '�')}\n`).join('')
}

/** Escapes what isn't printable. The document's own line breaks stay. */
function escapeUnprintable(json: string): string {
  const codeOf = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return json.replace(/(?!\n)[\p{Cc}\p{Cf}]/gu, (character) => character.split('').map(codeOf).join(''))
}

/** Returns the lines of a table: aligned columns with headings. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const lines = [headings, ...rows]
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines.map((line) => {
    const cells = line.map((cell, column) => cell.padEnd(widths[column] ?? 0))
    return cells.join('  ').trimEnd()
  })
}

/** Whether the reader of standard output closed it, as `head` does. This is not an error. */
export function isClosedPipe(error: unknown): boolean {
  return systemCodeOf(error) === 'EPIPE'
}

/** Decodes a text file. PowerShell's `>` writes UTF-16, which begins with a byte order mark. */
export function decodeText(bytes: Uint8Array): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe
  return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8').decode(bytes)
}

/** Reads a text file. @throws {CommandError} with this message if it can't be read. */
export function readTextFile(file: string, message: string): Promise<string> {
  return readFile(file).then(decodeText, () => {
    throw new CommandError(message)
  })
}

/** The error for output that can't be written. @param what a file's name, or `Standard output`. */
export function writeError(what: string, error: unknown): CommandError {
  const code = systemCodeOf(error)
  const [, reason] = [...getSystemErrorMap().values()].find(([name]) => name === code) ?? []
  return new CommandError(`${what} cannot be written: ${reason ?? 'the reason is unknown'} (${code}).`)
}

/** Returns the code of a system error, such as `EEXIST`; empty if it has none. */
export function systemCodeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
