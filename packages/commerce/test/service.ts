import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import { createNodeClient } from '../../services/src/node.ts'
import { type CommerceClientOptions, CommerceError } from '../src/index.ts'

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
    const { method = '', url = '', headers } = incoming
    const request = { method, url, headers, body }
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
  return text(JSON.stringify(body), status, { 'content-type': 'application/json', ...headers })
}

/** Answers every request with the same text. */
export function text(body: string, status = 200, headers: Record<string, string> = {}): Answer {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'text/html', ...headers })
    response.end(body)
  }
}

/** Answers every request with the beginning of a body, and then breaks the connection. */
export function breakOff(
  status: number,
  headers: Record<string, string> = {},
  start = '{"license":',
): Answer {
  return (_request, response) => {
    response.writeHead(status, headers)
    response.write(start, () => response.destroy())
  }
}

/** Breaks the connection instead of an answer. */
export const hangUp: Answer = (_request, response) => void response.destroy()

/** Returns the `CommerceError` of a call. Any other result fails the test. */
export async function errorOf(call: Promise<unknown>): Promise<CommerceError> {
  const outcome = await call.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  if (!('error' in outcome)) throw new Error(`Did not fail, but gave ${JSON.stringify(outcome.value)}`)
  if (outcome.error instanceof CommerceError) return outcome.error
  throw outcome.error
}

/** How a client can send its requests, each with the options for it. Both must behave in the same way. */
export const transports: readonly (readonly [string, () => Pick<CommerceClientOptions, 'fetch'>])[] = [
  ['fetch', () => ({})],
  ['Node’s client', nodeClient],
]

/** A client whose connections close after the test. */
function nodeClient(): Pick<CommerceClientOptions, 'fetch'> {
  const { fetch, close } = createNodeClient()
  onTestFinished(close)
  return { fetch }
}
