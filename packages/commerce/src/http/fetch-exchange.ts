import type { ClientSettings } from './client-options.ts'
import type { Exchange } from './exchange.ts'
import { readBoundedText } from './read-bounded-text.ts'

/** Sends requests with ky over the client's `fetch`. */
export function createFetchExchange(settings: ClientSettings): Exchange {
  return async (request, signal) => {
    // Importing ky makes Node load its own `fetch`, which would slow down the launch of an app that may never send a
    // request.
    const { default: ky } = await import('ky')
    const response = await ky(request.url, {
      method: request.method,
      headers: { ...request.headers },
      ...(request.body === null ? {} : { body: request.body }),
      // ky sends a copy of its own request. Node's copies stop following the signal once the original is collected as
      // garbage, and the connection would stay open after the timeout.
      fetch: (input, init) =>
        settings.fetch(input instanceof Request ? input : new Request(input), { ...init, signal }),
      signal,
      // A list of keys from a browser's cache could cost a seat.
      cache: 'no-store',
      // A followed redirect would send the token to its target.
      redirect: 'manual',
      // ky retries DELETE by default, and its timeout only covers the headers.
      retry: 0,
      timeout: false,
      // ky's HTTPError contains the URL and reads the body without our size limit.
      throwHttpErrors: false,
    })
    return {
      status: response.status,
      header: (name) => response.headers.get(name),
      headers: () => response.headers,
      text: (maxBytes) => readBoundedText(response, maxBytes),
    }
  }
}
