import type { Fetch } from '@latchkey/commerce'
import { app, type IncomingMessage } from 'electron'
import { headersOf, type NetAnswer, sendNetRequest } from './net-request.ts'

/**
 * Works like `net.fetch`, but doesn't leave anything behind that can keep the app from quitting, and never sends a
 * request twice. For adapters, which expect `fetch`.
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

const sentRequests = new Set<WeakRef<Request>>()
const held = new Set<Request>()
let isListening = false

/** Keeps a request referenced while the app quits. Earlier garbage is collected in time. */
function holdWhenQuitting(request: Request): void {
  if (!isListening) {
    // `app.exit()` only emits `quit`, so requests sent before it are added then.
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
