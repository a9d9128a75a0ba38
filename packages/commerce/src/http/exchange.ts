/** One HTTP request. */
export interface ExchangeRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Absolute. */
  readonly url: string
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** The head of an HTTP answer, whose body is still to be read. */
export interface ExchangeAnswer {
  readonly status: number
  /** Returns a header; `null` if there is none. */
  header(name: string): string | null
  /** Returns all headers. Node loads its own `fetch` for this class, so ask for single headers where you can. */
  headers(): Headers
  /**
   * Reads the body as UTF-8, up to `maxBytes` after decompression.
   *
   * @returns the text, or `null` if the body is larger; then the rest is never read.
   */
  text(maxBytes: number): Promise<string | null>
}

/**
 * Sends one request, once. Follows no redirect, and neither reads nor fills a cache. Rejects if there is no answer, or
 * when the signal aborts.
 */
export type Exchange = (request: ExchangeRequest, signal: AbortSignal) => Promise<ExchangeAnswer>
