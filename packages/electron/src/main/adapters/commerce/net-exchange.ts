import type { Exchange, ExchangeAnswer } from '@latchkey/commerce/app-client'
import type { IncomingMessage } from 'electron'
import { headersOf, type NetAnswer, sendNetRequest } from './net-request.ts'

/**
 * Sends the commerce client's requests over Electron's network stack, which knows the system's proxies and certificates.
 *
 * Doesn't use `Request` and `Response`: for these classes, Node loads its own `fetch`, which takes two megabytes of
 * memory for as long as the app runs.
 */
export const netExchange: Exchange = async ({ method, url, headers, body }, signal) => {
  const answer = await sendNetRequest({
    // The cookies of the app's windows don't belong in these requests. A followed redirect would send the token to its
    // target, and a list of keys from the cache could cost a seat.
    options: { method, url, credentials: 'omit', cache: 'no-store', redirect: 'manual' },
    headers: Object.entries(headers),
    body: Buffer.from(body ?? ''),
    signal,
  })
  return answerOf(answer)
}

function answerOf({ status, headers, message, stop }: NetAnswer): ExchangeAnswer {
  const text = message === null ? async () => '' : textOf(message, stop)
  return {
    status,
    header(name) {
      const value = headers[name.toLowerCase()]
      return value === undefined ? null : [value].flat().join(', ')
    },
    headers: () => headersOf(headers),
    text,
  }
}

/** Returns a function that reads the body once, up to a number of bytes. */
function textOf(message: IncomingMessage, stop: () => void): (maxBytes: number) => Promise<string | null> {
  let failure: Error | null = null
  let onFailure = (_error: Error): void => {}
  const fail = (error = new Error('The answer broke off')): void => {
    failure ??= error
    onFailure(failure)
  }
  // Listen for errors even if nobody reads the body, because an unhandled one would end the app.
  message.on('error', fail)
  message.on('aborted', () => fail())

  return (maxBytes) =>
    new Promise((resolve, reject) => {
      if (failure !== null) return reject(failure)
      onFailure = reject
      const decoder = new TextDecoder()
      let text = ''
      let byteCount = 0
      message.on('data', (chunk) => {
        byteCount += chunk.byteLength
        if (byteCount <= maxBytes) {
          text += decoder.decode(chunk, { stream: true })
          return
        }
        resolve(null)
        stop()
      })
      message.on('end', () => resolve(text + decoder.decode()))
    })
}
