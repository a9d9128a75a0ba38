import { Writable } from 'node:stream'
import { type Emulator, type EmulatorOptions, startEmulator } from '@latchkey/emulator'
import { onTestEnd } from '@latchkey/scripts/test/side-by-side'
import { runProgram } from '../src/program.ts'

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

/** Runs the command line in this process with an emulator. */
export async function runCli(
  emulator: Emulator,
  words: readonly string[],
  given: {
    readonly env?: Record<string, string>
    readonly input?: string
    readonly signal?: AbortSignal
  } = {},
): Promise<CliRun> {
  let out = ''
  let err = ''
  const exitCode = await runProgram(words, {
    env: {
      LATCHKEY_BASE_URL: emulator.baseUrl,
      LATCHKEY_ACCESS_TOKEN: emulator.accessToken ?? '',
      ...given.env,
    },
    out: {
      write: async (text) => {
        out += text
      },
    },
    err: {
      write: (text) => {
        err += text
      },
      stream: new Writable({ write: (_chunk, _encoding, done) => done() }),
      isTerminal: false,
    },
    readInput: async () => given.input ?? '',
    signal: given.signal ?? new AbortController().signal,
  })
  return { exitCode, out, err }
}
