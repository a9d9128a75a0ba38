import { randomUUID } from 'node:crypto'
import type { Fetch } from '@latchkey/commerce'
import {
  type ClientRequestConstructorOptions,
  type IncomingMessage,
  net,
  type Session,
  session,
} from 'electron'
import { withinTime } from './time.ts'

/** How many requests are kept referenced. Earlier ones were collected long before the app quits. */
const mostHeld = 100
let sentRequests: readonly Request[] = []

/**
 * Works like `net.fetch`, but doesn't leave anything behind that can keep the app from quitting, and never sends a
 * request twice. For adapters, which expect `fetch`.
 *
 * Node tracks when a `Request` with a signal is garbage collected. If that happens while the app quits, Electron 25
 * hangs in a busy loop (https://github.com/nodejs/node/issues/47748). `net.fetch` creates such a `Request` internally,
 * so it isn't used. The incoming `Request` is kept referenced.
 */
export const netFetch: Fetch = async (request, init = {}) => {
  sentRequests = [...sentRequests.slice(1 - mostHeld), request]
  const signal = init.signal ?? request.signal
  const body = Buffer.from(await request.arrayBuffer())
  signal.throwIfAborted()
  const options = {
    method: request.method,
    url: request.url,
    credentials: init.credentials ?? request.credentials,
    cache: init.cache ?? request.cache,
    redirect: init.redirect ?? request.redirect,
  }
  return responseOf(await sendNetRequest({ options, headers: [...request.headers], body, signal }))
}

const bodilessStatuses = [101, 204, 205, 304]

function responseOf({ status, headers, message, stop }: NetAnswer): Response {
  // Listen for errors even if nobody reads the body, because an unhandled one would end the app.
  const body = message === null ? null : bodyOf(message, stop)
  return new Response(bodilessStatuses.includes(status) ? null : body, {
    status,
    headers: headersOf(headers),
  })
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

/** One request over Electron's network stack. */
interface NetRequest {
  readonly options: ClientRequestConstructorOptions & { readonly method: string; readonly url: string }
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer
  readonly signal: AbortSignal
}

/** The head of an answer. */
interface NetAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[]>>
  /** The body; `null` for a redirect, which is never followed. */
  readonly message: IncomingMessage | null
  /** Aborts the request. */
  readonly stop: () => void
}

/**
 * Sends a request with `net.request`, which leaves nothing behind that can keep the app from quitting. Never sends a
 * request twice that changes something: see {@link sendOnFreshConnection}.
 */
async function sendNetRequest(request: NetRequest): Promise<NetAnswer> {
  const { options, signal } = request
  if (mayBeSentTwice(options)) return await send(request)
  const answer = sendOnFreshConnection(options.url, (actingSession) => send(request, actingSession))
  return await answer.catch((error: unknown) => {
    // The default session may have the proxy's password or trust a certificate that our own session doesn't.
    if (!signal.aborted && stoppedOnTheWay(error)) return send({ ...request, options: apart(options) })
    throw error
  })
}

/**
 * Keeps a request away from the connections of those that change nothing. Chromium keeps requests with and without credentials
 * apart. Without the option, Electron sends no cookies, and doesn't call that a request without credentials.
 */
function apart({ credentials: _, ...options }: NetRequest['options']): NetRequest['options'] {
  return options
}

/** Whether a request changes nothing at the service. */
function mayBeSentTwice({ method, url }: NetRequest['options']): boolean {
  return method === 'GET' || (method === 'POST' && /\/validate(?:-key)?$/u.test(new URL(url).pathname))
}

/** Whether a request failed at a proxy or a certificate, before it could reach the service. */
function stoppedOnTheWay(error: unknown): boolean {
  return error instanceof Error && /net::ERR_(?:PROXY|TUNNEL|SOCKS|CERT)_/u.test(error.message)
}

async function send(
  { options, headers, body, signal }: NetRequest,
  actingSession?: Session,
): Promise<NetAnswer> {
  signal.throwIfAborted()
  const sent = net.request(actingSession === undefined ? options : { ...options, session: actingSession })
  const stop = (): void => sent.abort()
  return await new Promise<NetAnswer>((resolve, reject) => {
    const abort = (): void => {
      reject(signal.reason)
      stop()
    }
    signal.addEventListener('abort', abort, { once: true })
    // Only the default session may have the password. Without it, the proxy's page would pass for the service's answer.
    let lacksPassword = false
    if (actingSession !== undefined) {
      sent.on('login', ({ isProxy }, answer) => {
        lacksPassword ||= isProxy
        answer()
      })
    }
    sent.on('response', (message) => {
      if (!lacksPassword)
        return resolve({ status: message.statusCode, headers: message.headers, message, stop })
      reject(new Error('net::ERR_PROXY_AUTH_REQUESTED'))
      stop()
    })
    // Redirects are never followed. With `manual`, Electron ends the request with an error after this event.
    sent.on('redirect', (status, _method, _url, given) =>
      resolve({ status, headers: given, message: null, stop }),
    )
    sent.on('error', reject)
    for (const [name, value] of headers) sent.setHeader(name, value)
    sent.end(body)
  })
}

/** Copies the headers. `Headers` only accepts Latin-1, so a header it rejects is skipped instead of failing. */
function headersOf(given: NetAnswer['headers']): Headers {
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

/** Limit in milliseconds, so that a proxy script that can't be loaded doesn't block a request forever. */
const longestPreparationMs = 5_000

let own: Session | null = null
let last: Promise<unknown> = Promise.resolve()

/**
 * Sends a request that changes something on a fresh connection.
 *
 * If a reused connection ends before the answer, Chromium repeats the request on its own, even a POST, so one
 * activation could take two seats. These requests therefore have a session of their own, whose connections are closed
 * before each of them. The default session can't be used, because closing its connections would abort the app's own
 * requests.
 *
 * @param send called when it is this request's turn. The next request waits until it has settled.
 */
function sendOnFreshConnection<Outcome>(
  url: string,
  send: (actingSession: Session) => Promise<Outcome>,
): Promise<Outcome> {
  const turn = last.then(async () => {
    // Without `persist:` the session is in memory only.
    own ??= session.fromPartition(`latchkey-requests-${randomUUID()}`, { cache: false })
    const prepared = own
    await withinTime(prepare(prepared, url), longestPreparationMs).catch(() => {})
    return send(prepared)
  })
  last = turn.catch(() => {})
  return turn
}

async function prepare(actingSession: Session, url: string): Promise<void> {
  await actingSession.closeAllConnections()
  // If the app has set a proxy for its default session, use the same one.
  const [wanted, current] = await Promise.all([
    session.defaultSession.resolveProxy(url),
    actingSession.resolveProxy(url),
  ])
  // Only Latchkey uses this session, so no host needs to bypass the proxy.
  if (wanted !== current) {
    await actingSession.setProxy({ proxyRules: proxyRulesOf(wanted), proxyBypassRules: '<-loopback>' })
  }
}

/** Converts a result of `resolveProxy`, such as `PROXY one:8080; DIRECT`, to rules for `setProxy`. */
function proxyRulesOf(resolved: string): string {
  return resolved
    .split(';')
    .map((part) => {
      const [kind = '', address = ''] = part.trim().split(/\s+/u)
      const scheme = proxySchemes[kind.toUpperCase()]
      return scheme === undefined || address === '' ? 'direct://' : `${scheme}://${address}`
    })
    .join(',')
}

const proxySchemes: Readonly<Record<string, string>> = {
  PROXY: 'http',
  HTTP: 'http',
  HTTPS: 'https',
  SOCKS: 'socks4',
  SOCKS4: 'socks4',
  SOCKS5: 'socks5',
  QUIC: 'quic',
}
