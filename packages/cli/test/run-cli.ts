import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { PassThrough, Readable, Writable } from 'node:stream'
import { type Emulator, type EmulatorOptions, startEmulator } from '@latchkey/emulator'
import { onTestEnd } from '@latchkey/scripts/test/side-by-side'
import { type OfflineRequest, writeOfflineRequest } from '@latchkey/services/offline'
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
  const emulator = await startEmulator({ accessToken: 'demo', ...options })
  onTestEnd(() => emulator.close())
  return emulator
}

/** What a run gets besides its arguments. */
export interface GivenToRun {
  readonly env?: Record<string, string>
  readonly input?: string | Uint8Array
  readonly signal?: AbortSignal
  /** Whether standard output is a screen. */
  readonly isScreen?: boolean
  /** Gets each text as it is written to standard output. */
  readonly onOutput?: (text: string) => void
}

/** Runs the command line in this process with an emulator. */
export async function runCli(
  emulator: Emulator,
  words: readonly string[],
  given: GivenToRun = {},
): Promise<CliRun> {
  const { env = {}, input = '', signal = new AbortController().signal, isScreen = false, onOutput } = given
  const [stdout, stderr] = [new TextSink(isScreen, onOutput), new TextSink(false)]
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
  readonly #onText: (text: string) => void

  constructor(isTTY: boolean, onText: (text: string) => void = () => {}) {
    super({ decodeStrings: false })
    this.isTTY = isTTY
    this.#onText = onText
  }

  override _write(chunk: string | Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString()
    this.#onText(chunk.toString())
    done()
  }
}

/** A folder that is removed after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-cli-'))
  onTestEnd(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** The request of a computer that never goes online, as its app writes it. */
export function offlineRequest(licenseKey: string, own: Partial<OfflineRequest> = {}): string {
  return writeOfflineRequest({
    app: 'com.example.notes',
    deviceName: 'Lab computer',
    fingerprint: '0123456789abcdef',
    nonce: 'n0nce-n0nce-n0nce-n0nce',
    trustedKeys: [],
    releaseKey: 'k'.repeat(43),
    licenseKey,
    ...own,
  })
}
