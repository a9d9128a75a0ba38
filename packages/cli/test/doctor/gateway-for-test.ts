import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { Emulator } from '@latchkey/emulator'
import { onTestEnd } from '@latchkey/scripts/test/side-by-side'
import { emulatorForTest, runCli } from '../run-cli.ts'

/** An answer in place of the gateway's. An object is sent as JSON, a text as an HTML page. */
export interface OwnAnswer {
  readonly status: number
  readonly body?: object | string
  readonly headers?: Readonly<Record<string, string>>
}

/** Answers a request itself, or returns `null` to forward it. */
export type Rule = (request: IncomingMessage) => OwnAnswer | null

/** The last part of a license route, such as `activate`. */
export function routeOf({ url = '' }: IncomingMessage): string {
  const [last = '', before] = new URL(url, 'http://localhost').pathname.split('/').reverse()
  return before === 'keys' ? 'key' : last
}

/** Starts a server that answers by a rule, in front of an emulator without a token, which answers as a gateway does. */
export async function gatewayForTest(rule: Rule): Promise<{
  readonly emulator: Emulator
  readonly url: string
  readonly doctor: () => ReturnType<typeof runCli>
}> {
  const emulator = await emulatorForTest({ accessToken: null })
  const server = createServer(async (request, response) => {
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
    const forwarded = await fetch(new URL(request.url ?? '', emulator.baseUrl), {
      method: request.method ?? 'GET',
      headers: { 'content-type': 'application/json' },
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    })
    const type = forwarded.headers.get('content-type') ?? 'application/json'
    response.writeHead(forwarded.status, { 'content-type': type }).end(await forwarded.text())
  })
  onTestEnd(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  const url = `http://127.0.0.1:${port}${new URL(emulator.baseUrl).pathname.replace(/\/$/u, '')}`
  const words = ['doctor', '--gateway', url, '--license', emulator.demoLicense.id, '--activate']
  return { emulator, url, doctor: () => runCli(emulator, words) }
}
