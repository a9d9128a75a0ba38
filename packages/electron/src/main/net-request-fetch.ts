import type { Fetch } from '@latchkey/commerce'
import { app, type IncomingMessage, net } from 'electron'

/**
 * Does what `net.fetch` does, without leaving behind what can keep the app from ending.
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
  const options = {
    method: request.method,
    url: request.url,
    credentials: init.credentials ?? request.credentials,
    cache: init.cache ?? request.cache,
    redirect: init.redirect ?? request.redirect,
  }
  const sent = net.request(options)
  const stop = (): void => sent.abort()
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const abort = (): void => {
      reject(signal.reason)
      stop()
    }
    signal.addEventListener('abort', abort, { once: true })
    sent.on('response', resolve)
    sent.on('error', reject)
    for (const [name, value] of request.headers) sent.setHeader(name, value)
    sent.end(body)
  })
  return responseOf(answer, stop)
}

const bodilessStatuses = [101, 204, 205, 304]

function responseOf(answer: IncomingMessage, stop: () => void): Response {
  const headers = new Headers()
  for (const [name, value] of Object.entries(answer.headers)) {
    headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  }
  const { statusCode: status, statusMessage: statusText } = answer
  // Even a body that nobody reads is listened to: an error that nobody hears would end the app.
  const body = bodyOf(answer, stop)
  return new Response(bodilessStatuses.includes(status) ? null : body, { status, statusText, headers })
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
