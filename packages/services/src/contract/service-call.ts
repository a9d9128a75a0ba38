import type { Fetch } from '@latchkey/commerce'

/** Options of a call. All of them are optional. */
export interface ServiceCall {
  /**
   * Performs the requests.
   * @default globalThis.fetch
   */
  readonly fetch?: Fetch | undefined
  /** Cancels the call. Its outcome then has the cause `cancelled`. */
  readonly signal?: AbortSignal | undefined
  /**
   * Timeout of each request in milliseconds, from its start to the last byte of the response.
   * @default 15_000
   */
  readonly timeoutMs?: number | undefined
  /** Additional request headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Called for each HTTP response, with its status and date. */
  readonly onResponse?: ((response: ResponseFacts) => void) | undefined
  /**
   * Verifies signatures of responses.
   * @default globalThis.crypto
   */
  readonly crypto?: WebCrypto | undefined
}

/** The status and date of an HTTP response. */
export interface ResponseFacts {
  readonly status: number
  readonly headers: Headers
  /** The `Date` header in milliseconds since the epoch; `null` if there is none. */
  readonly serverDateMs: number | null
}

/** The part of the Web Crypto API that adapters use. In Node, pass `webcrypto` from `node:crypto`. */
export interface WebCrypto {
  getRandomValues(array: Uint32Array<ArrayBuffer>): Uint32Array
  readonly subtle: {
    digest(algorithm: 'SHA-256', data: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer>
    importKey(
      format: 'raw',
      keyData: Uint8Array<ArrayBuffer>,
      algorithm: 'Ed25519',
      extractable: false,
      usages: ['verify'],
    ): Promise<object>
    verify(
      algorithm: 'Ed25519',
      key: object,
      signature: Uint8Array<ArrayBuffer>,
      data: Uint8Array<ArrayBuffer>,
    ): Promise<boolean>
  }
}
