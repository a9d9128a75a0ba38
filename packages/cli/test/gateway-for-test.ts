import type { IncomingMessage } from 'node:http'
import type { Emulator } from '@latchkey/emulator'
import { createGateway, type GatewayOptions } from '@latchkey/gateway'
import { upstreamOf } from '@latchkey/scripts/e2e/upstream-of'
import { onTestEnd } from '@latchkey/scripts/test/side-by-side'
import { startLocalServer } from '@latchkey/scripts/workspace/local-server'
import { emulatorForTest, runCli } from './run-cli.ts'

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
  const server = await startLocalServer(async (request, response) => {
    const own = rule(request)
    if (own !== null) {
      const { status, headers, body = '<html>Not here</html>' } = own
      const isPage = typeof body === 'string'
      response.writeHead(status, { 'content-type': isPage ? 'text/html' : 'application/json', ...headers })
      response.end(isPage ? body : JSON.stringify(body))
      return
    }
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(Buffer.from(chunk))
    const answer = await gateway(
      new Request(new URL(request.url ?? '', 'http://localhost'), {
        method: request.method ?? 'GET',
        headers: Object.entries(request.headers).map(([name, value]): [string, string] => [
          name,
          String(value),
        ]),
        ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
      }),
    )
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
  })
  onTestEnd(server.close)
  const url = `${server.url}/v1`
  const words = ['doctor', '--gateway', url, '--license', emulator.licenseKey, '--activate']
  return { emulator, url, words, doctor: () => runCli(emulator, words) }
}
