import type { Fetch } from '@latchkey/commerce'
import { app, type ClientRequestConstructorOptions, type IncomingMessage, net, type Session } from 'electron'
import { sendOnFreshConnection } from './acting-session.ts'

/**
 * Does what `net.fetch` does, without leaving behind what can keep the app from ending, and without sending anything
 * twice: see {@link sendOnFreshConnection}.
 *
 * Node wants to hear when a `Request` with a signal has become garbage. When that is found out while the app quits,
 * Electron 25 never ends: it runs in circles, a whole core busy (https://github.com/nodejs/node/issues/47748).
 * `net.fetch` makes such a `Request` that nobody can hold, so it is not used; the one that comes in is held at the end.
 */
export const netRequestFetch: Fetch = async (request, init = {}) => {
  holdWhenQuitting(request)
  const signal = init.signal ?? request.signal
  const body = Buffer.from(await request.arrayBuffer())
  signal.throwIfAborted()
  const exchange: Exchange = {
    options: {
      method: request.method,
      url: request.url,
      credentials: init.credentials ?? request.credentials,
      cache: init.cache ?? request.cache,
      redirect: init.redirect ?? request.redirect,
    },
    headers: [...request.headers],
    body,
    signal,
  }
  if (mayBeSentTwice(request)) return await send(exchange)
  const answer = sendOnFreshConnection(request.url, (session) => send(exchange, session))
  return await answer.catch((error: unknown) => {
    // The default session may hold the proxy's password, or trust a certificate, where a session of our own cannot.
    if (!signal.aborted && stoppedOnTheWay(error)) return send(exchange)
    throw error
  })
}

interface Exchange {
  readonly options: ClientRequestConstructorOptions
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer
  readonly signal: AbortSignal
}

/** Whether a request changes nothing at the service. */
function mayBeSentTwice({ method, url }: Request): boolean {
  return method === 'GET' || (method === 'POST' && /\/validate(?:-key)?$/u.test(new URL(url).pathname))
}

/** Whether a request failed before it could reach the service: at a proxy or at a certificate. */
function stoppedOnTheWay(error: unknown): boolean {
  return error instanceof Error && /net::ERR_(?:PROXY|TUNNEL|SOCKS|CERT)_/u.test(error.message)
}

async function send(exchange: Exchange, session?: Session): Promise<Response> {
  const { options, headers, body, signal } = exchange
  signal.throwIfAborted()
  const sent = net.request(session === undefined ? options : { ...options, session })
  const stop = (): void => sent.abort()
  return await new Promise<Response>((resolve, reject) => {
    const abort = (): void => {
      reject(signal.reason)
      stop()
    }
    const answer = (make: () => Response): void => {
      try {
        resolve(make())
      } catch (error) {
        reject(error)
      }
    }
    signal.addEventListener('abort', abort, { once: true })
    sent.on('response', (message) => answer(() => responseOf(message, stop)))
    // Nobody is asked elsewhere: with `manual`, Electron ends the request by an error after this.
    sent.on('redirect', (status, _method, _url, given) =>
      answer(() => new Response(null, { status, headers: headersOf(given) })),
    )
    sent.on('error', reject)
    for (const [name, value] of headers) sent.setHeader(name, value)
    sent.end(body)
  })
}

const bodilessStatuses = [101, 204, 205, 304]

function responseOf(answer: IncomingMessage, stop: () => void): Response {
  const { statusCode: status } = answer
  // Even a body that nobody reads is listened to: an error that nobody hears would end the app.
  const body = bodyOf(answer, stop)
  const headers = headersOf(answer.headers)
  return new Response(bodilessStatuses.includes(status) ? null : body, { status, headers })
}

/** A `Response` takes Latin-1 alone, and a header it does not take must not cost the whole answer. */
function headersOf(given: Readonly<Record<string, string | string[]>>): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(given)) {
    const text = Array.isArray(value) ? value.join(', ') : value
    try {
      headers.set(name, text.replace(/[^\t\x20-\x7e\x80-\xff]/gu, '?'))
    } catch {
      // A name no header can have.
    }
  }
  return headers
}

function bodyOf(answer: IncomingMessage, stop: () => void): ReadableStream<Uint8Array> {
  let isOver = false
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const end = (how: () => void): void => {
        if (!isOver) how()
        isOver = true
      }
      const fail = (error?: Error): void =>
        end(() => controller.error(error ?? new Error('The answer broke off')))
      answer.on('data', (chunk) => {
        if (!isOver) controller.enqueue(new Uint8Array(chunk))
      })
      answer.on('end', () => end(() => controller.close()))
      answer.on('error', fail)
      answer.on('aborted', () => fail())
    },
    cancel() {
      isOver = true
      stop()
    },
  })
}

const sentRequests = new Set<WeakRef<Request>>()
const held = new Set<Request>()
let isListening = false

/** What became garbage before is found and done with in time; the rest must not become any. */
function holdWhenQuitting(request: Request): void {
  if (!isListening) {
    // `app.exit()` says the last alone; what was sent in between is caught up with.
    app.on('before-quit', holdAll)
    app.on('will-quit', holdAll)
    app.on('quit', holdAll)
    isListening = true
  }
  sentRequests.add(new WeakRef(request))
  aliveRequests()
}

/** After a quit that was called off they stay until the next one: they are few. */
function holdAll(): void {
  held.clear()
  for (const request of aliveRequests()) held.add(request)
}

function aliveRequests(): readonly Request[] {
  return [...sentRequests].flatMap((reference) => {
    const request = reference.deref()
    if (request === undefined) sentRequests.delete(reference)
    return request ?? []
  })
}
