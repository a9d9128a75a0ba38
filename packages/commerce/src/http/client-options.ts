import { CommerceError } from '../errors/commerce-error.ts'
import { type BaseUrl, parseBaseUrl } from './base-url.ts'
import type { Exchange } from './exchange.ts'

/** Performs one HTTP request. `globalThis.fetch` and Electron's `net.fetch` both fit. */
export type Fetch = (request: Request, init?: RequestInit) => Promise<Response>

/** Options of the client. */
export interface CommerceClientOptions {
  /**
   * Address of the service including its version segment, such as `https://commerce.example/v1`. It may end with a
   * slash, but not contain a query, a fragment or credentials.
   */
  baseUrl: string | URL
  /**
   * Sent as `Authorization: Bearer …` with every request. Omit it for a gateway that adds its own. This token can list
   * every customer and doesn't belong in an app.
   */
  accessToken?: string | undefined
  /**
   * Performs the requests. The default is looked up at each call.
   * @default globalThis.fetch
   */
  fetch?: Fetch | undefined
  /**
   * Performs the requests in place of `fetch`. `createNodeClient` of `@latchkey/commerce/node` returns one that takes less
   * processor time.
   */
  exchange?: Exchange | undefined
  /**
   * Time limit of one request in milliseconds, from its start to the last byte of its answer.
   * @default 15_000
   */
  timeout?: number | undefined
  /**
   * Maximum size of an answer's body after decompression, in bytes. A larger answer counts as unexpected.
   * @default 2_097_152
   */
  maxAnswerBytes?: number | undefined
  /** Sent as `User-Agent`, if the platform allows a program to set it. */
  userAgent?: string | undefined
  /**
   * Allows sending the access token over plain http to another machine, where anyone on the network path can read it.
   * http to this machine (`localhost`, `127.0.0.1`, `[::1]`) is always allowed.
   * @default false
   */
  allowInsecure?: boolean | undefined
  /**
   * Which license and key ids are accepted. `'any'` is for a gateway in front of another licensing service: an id that
   * isn't a UUID goes into the path as `~` and the base64url of its UTF-8.
   * @default 'uuid'
   */
  ids?: 'uuid' | 'any' | undefined
}

/** The checked {@link CommerceClientOptions}, with all defaults. */
export interface ClientSettings {
  baseUrl: BaseUrl
  accessToken: string | undefined
  fetch: Fetch
  timeoutMs: number
  maxAnswerBytes: number
  userAgent: string | undefined
  ids: 'uuid' | 'any'
}

const maxTimerMs = 2_147_483_647

const known: Readonly<Record<keyof CommerceClientOptions, true>> = {
  baseUrl: true,
  accessToken: true,
  fetch: true,
  exchange: true,
  timeout: true,
  maxAnswerBytes: true,
  userAgent: true,
  allowInsecure: true,
  ids: true,
}

/**
 * A mistyped accessToken would only show as a refusal by the service.
 *
 * @throws {CommerceError} `invalid-argument` naming an option that doesn't exist.
 */
export function checkOptionNames(options: CommerceClientOptions): void {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name))
  if (unknown === undefined) return
  throw refused(
    `${unknown} is not an option of createCommerceClient, which has ${Object.keys(known).join(', ')}`,
  )
}

/** @throws {CommerceError} `invalid-argument` naming the option, without its value. */
export function checkClientOptions(options: CommerceClientOptions): ClientSettings {
  const { accessToken, userAgent, timeout = 15_000, maxAnswerBytes = 2 * 1024 * 1024 } = options
  const baseUrl = parseBaseUrl(options.baseUrl)
  if (accessToken !== undefined) checkAccessToken(accessToken)
  if (accessToken !== undefined && baseUrl.isExposed && options.allowInsecure !== true) {
    throw refused(
      'with http:// to another machine, anyone on the network path can read accessToken: use https://, or set allowInsecure',
    )
  }
  if (userAgent !== undefined && !/^[\x20-\x7e]+$/.test(userAgent)) {
    throw refused('userAgent must be one line of plain ASCII')
  }
  if (!(timeout > 0 && timeout <= maxTimerMs))
    throw refused(`timeout must be 1 to ${maxTimerMs} milliseconds`)
  if (!(Number.isSafeInteger(maxAnswerBytes) && maxAnswerBytes > 0)) {
    throw refused('maxAnswerBytes must be a positive integer')
  }
  return {
    baseUrl,
    accessToken,
    fetch: options.fetch ?? ((request, init) => globalThis.fetch(request, init)),
    timeoutMs: timeout,
    maxAnswerBytes,
    userAgent,
    ids: options.ids ?? 'uuid',
  }
}

function checkAccessToken(accessToken: string): void {
  if (accessToken === '') throw refused('accessToken is empty: omit it, or check where you read it from')
  if (/[\r\n]/.test(accessToken))
    throw refused('accessToken contains a line break: trim the text you read it from')
  if (!/^[\x21-\x7e]+$/.test(accessToken)) {
    throw refused(
      'accessToken contains a space or another character that no HTTP header can carry; omit the word Bearer',
    )
  }
}

function refused(hint: string): CommerceError {
  return new CommerceError('invalid-argument', { hint })
}
