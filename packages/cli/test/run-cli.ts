import type { IncomingMessage } from 'node:http'
import { PassThrough, Readable, Writable } from 'node:stream'
import { getRequestListener } from '@hono/node-server'
import type { Emulator } from '@latchkey/emulator'
import { createGateway, type GatewayOptions } from '@latchkey/gateway'
import { serviceEnvironment, upstreamOf } from '@latchkey/scripts/e2e/upstream-of'
import { emulatorForTest, onTestEnd } from '@latchkey/scripts/test/side-by-side'
import { startLocalServer } from '@latchkey/scripts/workspace/local-server'
import { isServiceName } from '@latchkey/services/environment'
import { runProgram } from '../src/program.ts'
import { createTerminal } from '../src/terminal.ts'

/** The result of a run. */
export interface CliRun {
  readonly exitCode: number
  readonly out: string
  readonly err: string
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

/** Runs the command line in this process, with the settings for an emulator of any service. */
export async function runCli(
  emulator: Emulator,
  words: readonly string[],
  given: GivenToRun = {},
): Promise<CliRun> {
  const { env = {}, input = '', signal = new AbortController().signal, isScreen = false, onOutput } = given
  const [stdout, stderr] = [new TextSink(isScreen, onOutput), new TextSink(false)]
  const { baseUrl, accessToken, face } = emulator
  const settings = isServiceName(face)
    ? serviceEnvironment(face, emulator)
    : { LATCHKEY_BASE_URL: baseUrl, LATCHKEY_ACCESS_TOKEN: accessToken ?? '' }
  const terminal = createTerminal({
    env: { ...settings, ...env },
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

/** An answer in place of the gateway's. An object is sent as JSON, a text as an HTML page. */
export interface OwnAnswer {
  readonly status: number
  readonly body?: object | string
  readonly headers?: Readonly<Record<string, string>>
}

/** Answers a request itself, or returns `null` to forward it. */
export type Rule = (request: IncomingMessage) => OwnAnswer | null

/** What is behind the rule. */
export interface Behind {
  readonly emulator?: Emulator
  /** Changes the gateway's options. */
  readonly gateway?: Partial<GatewayOptions>
}

/** The last part of a license route, such as `activate`. */
export function routeOf({ url = '' }: IncomingMessage): string {
  const [last = '', before] = new URL(url, 'http://localhost').pathname.split('/').reverse()
  return before === 'keys' ? 'key' : last
}

/** Starts a server that answers by a rule, in front of a gateway in front of an emulator. */
export async function gatewayForTest(
  rule: Rule = () => null,
  behind: Behind = {},
): Promise<{
  readonly emulator: Emulator
  readonly url: string
  readonly words: readonly string[]
  /** Runs the doctor with `--activate`. */
  readonly doctor: () => ReturnType<typeof runCli>
}> {
  const emulator = behind.emulator ?? (await emulatorForTest())
  const gateway = createGateway({ upstream: upstreamOf(emulator), log: () => {}, ...behind.gateway })
  const forward = getRequestListener(gateway, { overrideGlobalObjects: false })
  const server = await startLocalServer((request, response) => {
    const own = rule(request)
    if (own !== null) {
      const { status, headers, body = '<html>Not here</html>' } = own
      const isPage = typeof body === 'string'
      response.writeHead(status, { 'content-type': isPage ? 'text/html' : 'application/json', ...headers })
      response.end(isPage ? body : JSON.stringify(body))
      return
    }
    return forward(request, response)
  })
  onTestEnd(server.close)
  const url = `${server.url}/v1`
  const words = ['doctor', '--gateway', url, '--license', emulator.licenseKey, '--activate']
  return { emulator, url, words, doctor: () => runCli(emulator, words) }
}
