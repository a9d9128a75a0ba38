import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'

/** A request as received. */
export interface SeenRequest {
  method: string
  /** Path with query. */
  url: string
  headers: IncomingHttpHeaders
  body: string
}

/** A local server that gives the answers a test defines. */
export interface Service {
  /** `http://127.0.0.1:<port>/v1` */
  baseUrl: string
  origin: string
  requests: SeenRequest[]
}

export type Answer = (request: SeenRequest, response: ServerResponse) => void

/** Starts a {@link Service} on its own port. It closes after the test. */
export async function startService(answer: Answer): Promise<Service> {
  const requests: SeenRequest[] = []
  const server = createServer(async (incoming, response) => {
    response.on('error', () => {})
    let body = ''
    for await (const chunk of incoming) body += chunk
    const request = {
      method: incoming.method ?? '',
      url: incoming.url ?? '',
      headers: incoming.headers,
      body,
    }
    requests.push(request)
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('No port')
  const origin = `http://127.0.0.1:${address.port}`
  return { baseUrl: `${origin}/v1`, origin, requests }
}

/** Lets a test wait until something has happened in a service. */
export function signalOnce(): { readonly given: Promise<void>; readonly give: () => void } {
  let give = (): void => {}
  const given = new Promise<void>((resolve) => {
    give = resolve
  })
  return { given, give: () => give() }
}

/** Answers every request with the same JSON. */
export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Answer {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(body))
  }
}

/** Answers every request with the same text. */
export function text(body: string, status = 200, headers: Record<string, string> = {}): Answer {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'text/html', ...headers })
    response.end(body)
  }
}
