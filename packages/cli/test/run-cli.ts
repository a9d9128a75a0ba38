import { PassThrough, Readable, Writable } from 'node:stream'
import { type Emulator, type EmulatorOptions, startEmulator } from '@latchkey/emulator'
import { onTestEnd } from '@latchkey/scripts/test/side-by-side'
import { runProgram } from '../src/program.ts'
import { createTerminal } from '../src/terminal.ts'

/** The result of a run. */
export interface CliRun {
  readonly exitCode: number
  readonly out: string
  readonly err: string
}

/** A service for the test. It is closed after the test. */
export async function emulatorForTest(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await startEmulator(options)
  onTestEnd(() => emulator.close())
  return emulator
}

/** What a run gets besides its arguments. */
export interface GivenToRun {
  readonly env?: Record<string, string>
  readonly input?: string
  readonly signal?: AbortSignal
  /** Whether standard output is a screen. */
  readonly isScreen?: boolean
}

/** Runs the command line in this process with an emulator. */
export async function runCli(
  emulator: Emulator,
  words: readonly string[],
  { env = {}, input = '', signal = new AbortController().signal, isScreen = false }: GivenToRun = {},
): Promise<CliRun> {
  const [stdout, stderr] = [new TextSink(isScreen), new TextSink(false)]
  const terminal = createTerminal({
    env: {
      LATCHKEY_BASE_URL: emulator.baseUrl,
      LATCHKEY_ACCESS_TOKEN: emulator.accessToken ?? '',
      ...env,
    },
    stdin: input === '' ? new PassThrough().end() : Readable.from([input]),
    stdout,
    stderr,
    signal,
  })
  const exitCode = await runProgram(words, terminal)
  return { exitCode, out: stdout.text, err: stderr.text }
}

class TextSink extends Writable {
  text = ''
  readonly isTTY: boolean

  constructor(isTTY: boolean) {
    super({ decodeStrings: false })
    this.isTTY = isTTY
  }

  override _write(chunk: string | Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString()
    done()
  }
}
