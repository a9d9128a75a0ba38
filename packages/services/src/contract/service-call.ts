import type { Fetch } from '@latchkey/commerce'

/** What a call needs from its surroundings. Everything has a default. */
export interface ServiceCall {
  /**
   * Performs the requests.
   * @default globalThis.fetch
   */
  readonly fetch?: Fetch | undefined
  /** Ends the call with the cause `cancelled`. */
  readonly signal?: AbortSignal | undefined
  /**
   * Milliseconds each request may take, from its start to the last byte of its answer.
   * @default 15_000
   */
  readonly timeoutMs?: number | undefined
  /** Headers to send besides the service's own. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Called for every HTTP answer, with what came beside its body. */
  readonly onResponse?: ((response: ResponseFacts) => void) | undefined
  /**
   * Verifies signatures.
   * @default globalThis.crypto
   */
  readonly crypto?: WebCrypto | undefined
}

/** What an HTTP answer says besides its body. */
export interface ResponseFacts {
  readonly status: number
  readonly headers: Headers
  /** The `Date` header in milliseconds since the epoch. */
  readonly serverDateMs: number | null
}

/** The part of the platform's Web Crypto that is used. Node's is `webcrypto` of `node:crypto`. */
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
