import { type ClientRequestConstructorOptions, type IncomingMessage, net, type Session } from 'electron'
import { sendOnFreshConnection } from './acting-session.ts'

/** One request over Electron's network stack. */
export interface NetRequest {
  readonly options: ClientRequestConstructorOptions & { readonly method: string; readonly url: string }
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer
  readonly signal: AbortSignal
}

/** The head of an answer. */
export interface NetAnswer {
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
export async function sendNetRequest(request: NetRequest): Promise<NetAnswer> {
  const { options, signal } = request
  if (mayBeSentTwice(options)) return await send(request)
  const answer = sendOnFreshConnection(options.url, (session) => send(request, session))
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

async function send({ options, headers, body, signal }: NetRequest, session?: Session): Promise<NetAnswer> {
  signal.throwIfAborted()
  const sent = net.request(session === undefined ? options : { ...options, session })
  const stop = (): void => sent.abort()
  return await new Promise<NetAnswer>((resolve, reject) => {
    const abort = (): void => {
      reject(signal.reason)
      stop()
    }
    signal.addEventListener('abort', abort, { once: true })
    // Only the default session may have the password. Without it, the proxy's page would pass for the service's answer.
    let lacksPassword = false
    if (session !== undefined) {
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
export function headersOf(given: NetAnswer['headers']): Headers {
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
