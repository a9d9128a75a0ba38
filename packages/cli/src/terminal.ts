import { addAbortSignal } from 'node:stream'
import { decodeText } from './input/decode-text.ts'

/** The input and output of a command: the process, or a test's buffers. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Results. `write` resolves when the reader has accepted the text. */
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
          process.stdout.write(text, (error) => (error == null ? resolve() : reject(error)))
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
