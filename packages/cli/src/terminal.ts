import { addAbortSignal } from 'node:stream'
import { decodeText } from './input/decode-text.ts'
import { outputWriteError } from './write-error.ts'

/** The input and output of a command: the process, or a test's buffers. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>
  /**
   * Results. `write` resolves when the reader has accepted the text. It rejects with an `EPIPE` error if the reader has
   * closed the pipe, and with a `UsageError` if the text can't be written.
   */
  readonly out: { write(text: string): Promise<void> }
  /** Messages for the user. */
  readonly err: {
    write(text: string): void
    readonly stream: NodeJS.WritableStream
    readonly isTerminal: boolean
  }
  /** Reads all of standard input. Rejects with an `AbortError` when {@link signal} is aborted. */
  readInput(): Promise<string>
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
}

/** The terminal of this process. */
export function processTerminal(signal: AbortSignal): Terminal {
  return {
    env: process.env,
    out: {
      write: (text) =>
        new Promise((resolve, reject) => {
          process.stdout.write(text, (error) => {
            if (error == null) resolve()
            else reject(isClosedPipe(error) ? error : outputWriteError(error))
          })
        }),
    },
    err: {
      write: (text) => void process.stderr.write(text),
      stream: process.stderr,
      isTerminal: process.stderr.isTTY === true,
    },
    async readInput() {
      const chunks: Buffer[] = []
      for await (const chunk of addAbortSignal(signal, process.stdin)) chunks.push(Buffer.from(chunk))
      return decodeText(Buffer.concat(chunks))
    },
    signal,
  }
}

/** Whether the reader of standard output closed it, as `head` does. This is not an error. */
export function isClosedPipe(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EPIPE'
}
