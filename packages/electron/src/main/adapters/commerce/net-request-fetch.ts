import type { Fetch } from '@latchkey/commerce'
import { app, type ClientRequestConstructorOptions, type IncomingMessage, net, type Session } from 'electron'
import { sendOnFreshConnection } from './acting-session.ts'

/**
 * Works like `net.fetch`, but doesn't leave anything behind that can keep the app from quitting, and never sends a
 * request twice: see {@link sendOnFreshConnection}.
 *
 * Node tracks when a `Request` with a signal is garbage collected. If that happens while the app quits, Electron 25
 * hangs in a busy loop (https://github.com/nodejs/node/issues/47748). `net.fetch` creates such a `Request` internally,
 * so it isn't used. The incoming `Request` is kept referenced while the app quits.
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
    // The default session may have the proxy's password or trust a certificate that our own session doesn't.
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

/** Whether a request failed at a proxy or a certificate, before it could reach the service. */
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
    // Redirects are never followed. With `manual`, Electron ends the request with an error after this event.
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
  // Listen for errors even if nobody reads the body, because an unhandled one would end the app.
  const body = bodyOf(answer, stop)
  const headers = headersOf(answer.headers)
  return new Response(bodilessStatuses.includes(status) ? null : body, { status, headers })
}

/** Copies the headers. `Response` only accepts Latin-1, so a header it rejects is skipped instead of failing. */
function headersOf(given: Readonly<Record<string, string | string[]>>): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(given)) {
    const text = Array.isArray(value) ? value.join(', ') : value
    try {
      headers.set(name, text.replace(/[^\t\x20-\x7e\x80-\xff]/gu, '?'))
    } catch {
      // The name isn't a valid header name.
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

/** Keeps a request referenced while the app quits. Earlier garbage is collected in time. */
function holdWhenQuitting(request: Request): void {
  if (!isListening) {
    // `app.exit()` only emits `quit`, so requests sent in between are added then.
    app.on('before-quit', holdAll)
    app.on('will-quit', holdAll)
    app.on('quit', holdAll)
    isListening = true
  }
  sentRequests.add(new WeakRef(request))
  aliveRequests()
}

/** If a quit is canceled, the requests stay referenced until the next one. There are only a few. */
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
