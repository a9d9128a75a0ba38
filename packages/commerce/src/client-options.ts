import { type BaseUrl, parseBaseUrl } from './base-url.ts'
import { CommerceError } from './commerce-error.ts'

/** Performs one HTTP request. `globalThis.fetch` and Electron's `net.fetch` both fit. */
export type Fetch = (request: Request, init?: RequestInit) => Promise<Response>

/** How to reach the service. */
export interface CommerceClientOptions {
  /**
   * Address of the service including its version segment, such as `https://commerce.example/v1`. A trailing slash is
   * fine; a query, a fragment or credentials are not.
   */
  baseUrl: string | URL
  /**
   * Sent as `Authorization: Bearer …` with every request. Leave it out for a gateway that adds its own: this token can
   * list every customer and does not belong in an app.
   */
  accessToken?: string | undefined
  /**
   * Performs the requests; looked up at each call when left out.
   * @default globalThis.fetch
   */
  fetch?: Fetch | undefined
  /**
   * Milliseconds one request may take, from its start to the last byte of its answer.
   * @default 15_000
   */
  timeout?: number | undefined
  /**
   * Bytes an answer's body may have once decompressed; a larger one is cut off and counts as unexpected.
   * @default 2_097_152
   */
  maxAnswerBytes?: number | undefined
  /** Sent as `User-Agent`, where the platform lets a program set it. */
  userAgent?: string | undefined
  /**
   * Sends the access token over plain http to another machine, where anyone on the way can read it. http to this
   * machine (`localhost`, `127.0.0.1`, `[::1]`) needs no permission.
   * @default false
   */
  allowInsecure?: boolean | undefined
}

/** {@link CommerceClientOptions}, checked and with every default filled in. */
export interface ClientSettings {
  baseUrl: BaseUrl
  accessToken: string | undefined
  fetch: Fetch
  timeoutMs: number
  maxAnswerBytes: number
  userAgent: string | undefined
}

const maxTimerMs = 2_147_483_647

/** @throws {CommerceError} `invalid-argument` naming the option, never showing its value. */
export function checkClientOptions(options: CommerceClientOptions): ClientSettings {
  const { accessToken, userAgent, timeout = 15_000, maxAnswerBytes = 2 * 1024 * 1024 } = options
  const baseUrl = parseBaseUrl(options.baseUrl)
  if (accessToken !== undefined) checkAccessToken(accessToken)
  if (accessToken !== undefined && baseUrl.isExposed && options.allowInsecure !== true) {
    throw refused(
      'http:// to another machine would show accessToken to anyone on the way: use https://, or set allowInsecure',
    )
  }
  if (userAgent !== undefined && !/^[\x20-\x7e]+$/.test(userAgent)) {
    throw refused('userAgent has to be one line of plain ASCII')
  }
  if (!(timeout > 0 && timeout <= maxTimerMs))
    throw refused(`timeout has to be 1 to ${maxTimerMs} milliseconds`)
  if (!(Number.isSafeInteger(maxAnswerBytes) && maxAnswerBytes > 0)) {
    throw refused('maxAnswerBytes has to be a positive integer')
  }
  return {
    baseUrl,
    accessToken,
    fetch: options.fetch ?? ((request, init) => globalThis.fetch(request, init)),
    timeoutMs: timeout,
    maxAnswerBytes,
    userAgent,
  }
}

function checkAccessToken(accessToken: string): void {
  if (accessToken === '')
    throw refused('accessToken is empty: leave it out, or look where it should come from')
  if (/[\r\n]/.test(accessToken)) throw refused('accessToken holds a line break: trim what you read it from')
  if (!/^[\x21-\x7e]+$/.test(accessToken)) {
    throw refused(
      'accessToken holds a space or another character no HTTP header can carry; leave out the word Bearer',
    )
  }
}

function refused(hint: string): CommerceError {
  return new CommerceError('invalid-argument', { hint })
}
