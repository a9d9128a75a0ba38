import { issueLicenseKey, type KeyTexts, keyText, longestText } from '@latchkey/services/issue'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import * as z from 'zod/mini'
import { aFunction, checkedOptions } from './gateway-config-error.ts'
import { maskedText } from './http/request-log.ts'

/** What a customer gets for one of your shop's products. */
export interface SoldLicense {
  /** The product, as in the app's `signedKeys({ product })`. */
  readonly product: string
  /** The plan or edition. @default none */
  readonly plan?: string | undefined
  /** The features that the license includes. @default none */
  readonly features?: readonly string[] | undefined
  /** How many days the license lasts, counted from the payment: 1 to 36,500. @default it has no end */
  readonly days?: number | undefined
}

/** A license key for a payment. */
export interface IssuedLicense {
  /** What the customer pastes into the app. */
  readonly licenseKey: string
  /** Identifies the license key, for example in the list of revoked keys: `stripe:pi_3Pq…:price_1Pq…`. */
  readonly id: string
  /** The product in the license key. */
  readonly product: string
  /** The customer's email address; `null` if the shop doesn't know it. */
  readonly email: string | null
  /** The customer's name; `null` if the shop doesn't know it. */
  readonly name: string | null
  /** Stripe's payment intent, or its checkout session if nothing had to be paid; Paddle's transaction. */
  readonly paymentId: string
  readonly provider: 'stripe' | 'paddle'
}

/** What the issuer uses of `new Stripe(secretKey)`, of the package `stripe`. */
export interface StripeClient {
  readonly webhooks: {
    constructEventAsync(payload: string, header: string, secret: string): Promise<unknown>
  }
  readonly checkout: {
    readonly sessions: { listLineItems(id: string, params: { limit: number }): PromiseLike<unknown> }
  }
}

/** What the issuer uses of `new Paddle(apiKey)`, of the package `@paddle/paddle-node-sdk`. */
export interface PaddleClient {
  readonly webhooks: { unmarshal(body: string, secret: string, signature: string): Promise<unknown> }
  readonly customers: { get(id: string): Promise<unknown> }
}

/** Options for {@link createIssuer}. */
export interface IssuerOptions {
  /** Signs the license keys. It is secret: `latchkey keys generate` prints it. */
  readonly signingKey: string
  /** What you sell, by the ID of its price or product in the shop. Other items of a payment are ignored. */
  readonly products: Readonly<Record<string, SoldLicense>>
  /**
   * Gives the license key to the customer, for example in an email. If it throws, the shop sends the event again later.
   * So it may be called twice for a payment, with the same license key.
   */
  readonly deliver: (license: IssuedLicense) => unknown
  /** Stripe's client, and the signing secret of the webhook's endpoint: `whsec_…`. */
  readonly stripe?: { readonly client: StripeClient; readonly webhookSecret: string } | undefined
  /** Paddle's client, and the secret key of the notification destination: `pdl_ntfset_…`. */
  readonly paddle?: { readonly client: PaddleClient; readonly webhookSecret: string } | undefined
  /** Whether events of Stripe's test mode and of Paddle's simulator give license keys. @default false */
  readonly testMode?: boolean | undefined
  /** Called once for each request. @default prints the line as JSON */
  readonly log?: ((line: IssuerLogLine) => void) | undefined
}

/**
 * What happened with a request.
 *
 * - `delivered`: `deliver` got a license key for each item that `products` has.
 * - `unknown-product`: `products` has none of the payment's items.
 * - `unpaid`: the customer's bank hasn't paid yet. Stripe sends another event when it has.
 * - `subscription`: the payment belongs to a subscription, which a license key can't follow.
 * - `test-mode`: the event is a test, and `testMode` isn't set.
 * - `other-event`: the event isn't about a completed payment.
 * - `bad-signature`: the event isn't signed with the webhook's secret, or is too old.
 * - `too-large`: the body is longer than 256 kB.
 * - `not-post`: the request isn't a POST.
 * - `failed`: `deliver` or a request to the shop failed; `detail` says why. The shop sends the event again.
 */
export type IssuerCode = keyof typeof statuses

/** The log line of one request. It contains no license key, and no name or address of a customer. */
export interface IssuerLogLine {
  /** `error` needs action now; `warn` is worth a look. */
  readonly level: 'info' | 'warn' | 'error'
  /** Distinguishes these lines from others. */
  readonly event: 'webhook'
  readonly code: IssuerCode
  /** The answer's HTTP status. */
  readonly status: number
  /** `null` if the request is from neither. */
  readonly provider: 'stripe' | 'paddle' | null
  /** `null` if no payment was read. */
  readonly paymentId: string | null
  /** What failed; `null` if nothing did. */
  readonly detail: string | null
}

/** Handles the webhook requests of Stripe and Paddle, on any runtime that has `Request` and `Response`. It never rejects. */
export type Issuer = (request: Request) => Promise<Response>

const statuses = {
  delivered: 200,
  'unknown-product': 200,
  unpaid: 200,
  subscription: 200,
  'test-mode': 200,
  'other-event': 200,
  'bad-signature': 400,
  'not-post': 405,
  'too-large': 413,
  failed: 500,
} as const

const levels: Partial<Record<IssuerCode, IssuerLogLine['level']>> = {
  delivered: 'info',
  unpaid: 'info',
  'other-event': 'info',
  'unknown-product': 'error',
  subscription: 'error',
  failed: 'error',
}

/** In bytes: many times the size of the longest event that is used. */
const maxBodyBytes = 256 * 1024
const dayMs = 86_400_000

/** A completed payment. */
interface Payment {
  readonly id: string
  readonly paidAtMs: number
  readonly email: string | null
  readonly name: string | null
  /** For each item, the IDs that `products` may contain. */
  readonly items: readonly (readonly string[])[]
}

/** One shop's webhooks. */
interface Shop {
  readonly provider: IssuedLicense['provider']
  readonly signatureHeader: string
  /** @throws if the signature is wrong or too old. */
  verify(body: string, signature: string): Promise<unknown>
  /**
   * @returns the code if the event gives no license key; otherwise a function that asks the shop for what the event
   * doesn't contain, and rejects if that fails.
   * @throws if the event is unreadable.
   */
  read(event: unknown, testMode: boolean): IssuerCode | (() => Promise<Payment>)
}

/**
 * Creates a handler for webhooks of Stripe and Paddle, which issues a license key for each payment. You need no licensing
 * service: the app verifies the license key with `signedKeys`, of `@latchkey/services/signed-keys`.
 *
 * The same payment always gets the same license key, in whatever order and however often its events arrive. Only a name
 * that a customer of Paddle changes in between changes the text, with the same ID.
 *
 * @throws {GatewayConfigError} if an option is invalid, or isn't an option. The message names each one.
 *
 * @example
 * ```ts
 * const issuer = createIssuer({
 *   signingKey,
 *   stripe: { client: new Stripe(secretKey), webhookSecret },
 *   products: { price_1PqQ8x: { product: 'inkwell', plan: 'pro' } },
 *   deliver: ({ licenseKey, email }) => sendEmail(email, `Your license key: ${licenseKey}`),
 * })
 * export default { fetch: issuer } // Workers, Deno and Bun
 * ```
 */
export function createIssuer(options: IssuerOptions): Issuer {
  checkedOptions('createIssuer', optionsSchema, options)
  const { testMode = false, log = printLine } = options
  const shops: readonly Shop[] = [
    ...(options.stripe === undefined ? [] : [stripeShop(options.stripe)]),
    ...(options.paddle === undefined ? [] : [paddleShop(options.paddle)]),
  ]

  const answer = (code: IssuerCode, known: Partial<IssuerLogLine> = {}): Response => {
    const status = statuses[code]
    const level = levels[code] ?? 'warn'
    try {
      log({ provider: null, paymentId: null, detail: null, ...known, level, event: 'webhook', code, status })
    } catch {
      // Logging is what failed, so there is no place to report the error.
    }
    return Response.json({ code }, { status, headers: { 'cache-control': 'no-store' } })
  }

  const app = new Hono()
  app.post('*', bodyLimit({ maxSize: maxBodyBytes, onError: () => answer('too-large') }), async ({ req }) => {
    const shop = shops.find(({ signatureHeader }) => req.header(signatureHeader) !== undefined)
    if (shop === undefined) return answer('bad-signature')
    const { provider } = shop
    let paymentId: string | null = null
    try {
      const body = await req.text()
      // Not every runtime enforces Content-Length, so a body may be longer than declared.
      if (body.length > maxBodyBytes) return answer('too-large', { provider })
      const event = await shop.verify(body, req.header(shop.signatureHeader) ?? '').catch(() => null)
      if (event === null) return answer('bad-signature', { provider })
      const loadPayment = shop.read(event, testMode)
      if (typeof loadPayment === 'string') return answer(loadPayment, { provider })
      const payment = await loadPayment()
      paymentId = payment.id
      const count = await deliverAll(payment, provider, options)
      return answer(count === 0 ? 'unknown-product' : 'delivered', { provider, paymentId })
    } catch (error) {
      return answer('failed', { provider, paymentId, detail: maskedText(String(error), []) })
    }
  })
  app.all('*', () => answer('not-post'))
  return async (request) => await app.fetch(request)
}

/** Prints the line. There are few of them, and a payment without a license key must be noticed. */
function printLine(line: IssuerLogLine): void {
  // biome-ignore lint/suspicious/noConsole: The only output that every runtime has.
  console.log(JSON.stringify(line))
}

/** @returns how many license keys were delivered. */
async function deliverAll(
  payment: Payment,
  provider: IssuedLicense['provider'],
  { signingKey, products, deliver }: IssuerOptions,
): Promise<number> {
  const sold = new Set(payment.items.flatMap((ids) => ids.find((id) => Object.hasOwn(products, id)) ?? []))
  for (const soldId of sold) {
    const license = products[soldId]
    if (license === undefined) continue
    const { days, product, plan, features } = license
    const { email, name, id: paymentId } = payment
    const id = `${provider}:${paymentId}:${soldId}`
    const licenseKey = await issueLicenseKey({
      signingKey,
      id,
      product,
      plan,
      features,
      // An event that the shop repeats after the license's end gets the same license key.
      issuedAt: new Date(payment.paidAtMs),
      ...(days !== undefined && { expiresAt: new Date(payment.paidAtMs + days * dayMs) }),
      ...holderOf(payment, license),
    })
    await deliver({ licenseKey, id, product, email, name, paymentId, provider })
  }
  return sold.size
}

/** What the license key says of the customer. Someone with a long name gets a license key as well. */
function holderOf({ name, email }: Payment, license: SoldLicense): { name: string; email: string } {
  const oneLine = (text: string | null): string => (text ?? '').replace(/\p{Cc}+/gu, ' ').trim()
  const fits = (holder: { name: string; email: string }): boolean => fitsKey({ ...license, ...holder })
  const whole = { name: '', email: oneLine(email) }
  const holder = fits(whole) ? whole : { name: '', email: '' }
  for (const character of oneLine(name)) {
    if (!fits({ ...holder, name: holder.name + character })) break
    holder.name += character
  }
  return holder
}

function fitsKey({ name, email, plan, features }: KeyTexts): boolean {
  return keyText({ name, email, plan, features }).length <= longestText
}

const text = z.nullish(z.string())
/** Stripe sends an ID, or the object itself. */
const reference = z.union([
  z.string(),
  z.pipe(
    z.object({ id: z.string() }),
    z.transform(({ id }) => id),
  ),
])

const stripeEventSchema = z.object({
  type: z.string(),
  created: z.number(),
  livemode: z.boolean(),
  data: z.object({ object: z.unknown() }),
})
const checkoutSessionSchema = z.object({
  id: z.string(),
  mode: z.string(),
  payment_status: z.string(),
  payment_intent: z.nullish(reference),
  customer_details: z.nullish(z.object({ email: text, name: text })),
})
const lineItemsSchema = z.object({
  data: z.array(z.object({ price: z.nullish(z.object({ id: z.string(), product: reference })) })),
})
const paidStripeEvents: readonly string[] = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
]

function stripeShop({ client, webhookSecret }: NonNullable<IssuerOptions['stripe']>): Shop {
  return {
    provider: 'stripe',
    signatureHeader: 'stripe-signature',
    verify: (body, signature) => client.webhooks.constructEventAsync(body, signature, webhookSecret),
    read(event, testMode) {
      const { type, created, livemode, data } = stripeEventSchema.parse(event)
      if (!paidStripeEvents.includes(type)) return 'other-event'
      const session = checkoutSessionSchema.parse(data.object)
      if (!livemode && !testMode) return 'test-mode'
      if (session.mode !== 'payment') return 'subscription'
      if (session.payment_status === 'unpaid') return 'unpaid'
      return async () => {
        const asked = client.checkout.sessions.listLineItems(session.id, { limit: 100 })
        const lineItems = lineItemsSchema.parse(await asked)
        return {
          id: session.payment_intent ?? session.id,
          paidAtMs: created * 1000,
          email: session.customer_details?.email ?? null,
          name: session.customer_details?.name ?? null,
          items: lineItems.data.map(({ price }) => (price == null ? [] : [price.id, price.product])),
        }
      }
    },
  }
}

const paddleEventSchema = z.object({
  eventType: z.string(),
  notificationId: z.nullish(z.string()),
  occurredAt: z.string(),
  data: z.unknown(),
})
const transactionSchema = z.object({
  id: z.string(),
  customerId: z.nullish(z.string()),
  subscriptionId: z.nullish(z.string()),
  billedAt: z.nullish(z.string()),
  items: z.array(z.object({ price: z.nullish(z.object({ id: z.string(), productId: z.string() })) })),
})
const customerSchema = z.object({ email: text, name: text })

function paddleShop({ client, webhookSecret }: NonNullable<IssuerOptions['paddle']>): Shop {
  return {
    provider: 'paddle',
    signatureHeader: 'paddle-signature',
    verify: (body, signature) => client.webhooks.unmarshal(body, webhookSecret, signature),
    read(event, testMode) {
      const { eventType, notificationId, occurredAt, data } = paddleEventSchema.parse(event)
      if (eventType !== 'transaction.completed') return 'other-event'
      const { id, customerId, subscriptionId, billedAt, items } = transactionSchema.parse(data)
      // Paddle's sandbox signs with a secret of its own. Its simulator also works in live accounts.
      if (notificationId?.startsWith('ntfsim') === true && !testMode) return 'test-mode'
      if (subscriptionId != null) return 'subscription'
      return async () => {
        const customer =
          customerId == null ? {} : customerSchema.parse(await client.customers.get(customerId))
        return {
          id,
          paidAtMs: Date.parse(billedAt ?? occurredAt),
          email: customer.email ?? null,
          name: customer.name ?? null,
          items: items.map(({ price }) => (price == null ? [] : [price.id, price.productId])),
        }
      }
    },
  }
}

const secret = (example: string) =>
  z.string().check(z.regex(/^\S+$/, `must be the webhook's secret: ${example}`))
const clientWith = (method: string, example: string) =>
  z.custom<object>(
    (value) => typeof Object(Object(value).webhooks)[method] === 'function',
    `must be ${example}`,
  )

const optionsSchema = z
  .strictObject({
    signingKey: z
      .string()
      .check(
        z.regex(
          /^latchkey-secret-/,
          'must be the signing key that keys generate printed, which begins with latchkey-secret-',
        ),
      ),
    products: z.record(
      z.string(),
      z
        .strictObject({
          product: z.string().check(z.minLength(1), z.maxLength(100)),
          plan: z.optional(z.string().check(z.maxLength(100))),
          features: z.optional(z.array(z.string().check(z.minLength(1), z.maxLength(100)))),
          // Within what a license key can say.
          days: z.optional(z.int().check(z.minimum(1), z.maximum(36_500))),
        })
        .check(z.refine(fitsKey, `must have at most ${longestText} bytes of plan and features`)),
    ),
    deliver: aFunction,
    stripe: z.optional(
      z.strictObject({
        client: clientWith('constructEventAsync', 'new Stripe(secretKey)'),
        webhookSecret: secret('whsec_…'),
      }),
    ),
    paddle: z.optional(
      z.strictObject({
        client: clientWith('unmarshal', 'new Paddle(apiKey)'),
        webhookSecret: secret('pdl_ntfset_…'),
      }),
    ),
    testMode: z.optional(z.boolean()),
    log: z.optional(aFunction),
  })
  .check(
    z.refine(
      ({ stripe, paddle }) => stripe !== undefined || paddle !== undefined,
      'must have stripe, paddle, or both: { client, webhookSecret }',
    ),
  )
