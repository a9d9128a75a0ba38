import * as z from 'zod/mini'
import { CommerceError } from './commerce-error.ts'
import type { Fetch } from './http.ts'
import { createLicenses, type Licenses } from './licenses/licenses.ts'
import { type Customer, customerSchema, type Discount, discountSchema } from './lists/items.ts'
import { createPagedList, type PagedList } from './lists/paged-list.ts'
import { baseUrlOption, checkOptions, OptionsError, secretOption, tokenStaysPrivate } from './options.ts'
import { createRequester } from './request.ts'

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
   * Performs the requests. The default is looked up at each call. `createNodeClient` of `@latchkey/services/node` returns
   * one with its own connections, which uses the proxy of the environment.
   * @default globalThis.fetch
   */
  fetch?: Fetch | undefined
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
   * Which license keys and activation ids are accepted. `'any'` is for a gateway in front of another licensing service: one
   * that isn't a UUID goes into the path as `~` and the base64url of its UTF-8.
   * @default 'uuid'
   */
  ids?: 'uuid' | 'any' | undefined
}

/** The commerce service's complete interface. */
export interface CommerceClient {
  /** The license routes: *list keys*, *show key*, *activate*, *validate*, *deactivate*. */
  readonly licenses: Licenses
  /** The list of discounts. */
  readonly discounts: PagedList<Discount>
  /** The list of customers. */
  readonly customers: PagedList<Customer>
}

const maxTimerMs = 2_147_483_647
const timeoutRule = `must be 1 to ${maxTimerMs} milliseconds`
const sizeRule = 'must be a positive integer'

const optionsSchema = z
  .strictObject({
    baseUrl: baseUrlOption,
    accessToken: z.optional(secretOption),
    fetch: z.optional(z.custom<Fetch>((value) => typeof value === 'function', 'must be a function')),
    timeout: z.optional(z.number(timeoutRule).check(z.gt(0, timeoutRule), z.lte(maxTimerMs, timeoutRule))),
    maxAnswerBytes: z.optional(z.int(sizeRule).check(z.gt(0, sizeRule))),
    userAgent: z.optional(z.string().check(z.regex(/^[\x20-\x7e]+$/u, 'must be one line of plain ASCII'))),
    allowInsecure: z.optional(z.boolean()),
    ids: z.optional(z.enum(['uuid', 'any'])),
  })
  .check(tokenStaysPrivate)

/**
 * Creates a client of the commerce service. Nothing is sent until you call one of its methods.
 *
 * @throws {CommerceError} `invalid-argument` if an option is unknown or unusable. The message names it and says why.
 *
 * @example
 * ```ts
 * const commerce = createCommerceClient({ baseUrl: 'https://licensing.example/v1' })
 * const { license, key } = await commerce.licenses.activate(licenseKey, { name: 'Ada’s laptop' })
 * ```
 */
export function createCommerceClient(options: CommerceClientOptions): CommerceClient {
  const { baseUrl, timeout, ids = 'uuid', ...settings } = readOptions(options)
  const { accessToken, fetch, maxAnswerBytes, userAgent } = settings
  const request = createRequester({ accessToken, fetch, timeoutMs: timeout, maxAnswerBytes, userAgent })
  return {
    licenses: createLicenses(request, baseUrl, ids),
    discounts: createPagedList(request, baseUrl, 'discounts.list', 'discounts', discountSchema),
    customers: createPagedList(request, baseUrl, 'customers.list', 'customers', customerSchema),
  }
}

function readOptions(options: CommerceClientOptions): z.output<typeof optionsSchema> {
  try {
    return checkOptions('createCommerceClient', optionsSchema, options)
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error
    const hint = error.problems
      .map(({ option, problem }) => `${option || 'the argument'} ${problem}`)
      .join('; ')
    throw new CommerceError('invalid-argument', { hint })
  }
}
