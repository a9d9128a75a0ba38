import {
  paddleEvent,
  type Sent,
  sentByPaddle,
  sentByStripe,
  startShops,
  stripeEvent,
} from '@latchkey/scripts/shops/emulated-shops'
import { generateSigningKey } from '@latchkey/services/issue'
import { signedKeys } from '@latchkey/services/signed-keys'
import { type Environment, Paddle } from '@paddle/paddle-node-sdk'
import Stripe from 'stripe'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import * as z from 'zod/mini'
import { createIssuer, type IssuedLicense, type IssuerLogLine, type IssuerOptions } from '../src/issuer.ts'

const stripeSecret = 'whsec_of_this_test'
const paddleSecret = 'pdl_ntfset_of_this_test'
const product = 'inkwell'
const products: IssuerOptions['products'] = {
  price_pro: { product, plan: 'pro', features: ['export'] },
  prod_of_price_year: { product, days: 30_000 },
  price_week: { product, days: 7 },
  pri_01kb3kzz1q3w5e7r9t1y3u5i7o: { product, plan: 'pro' },
}

const signedByStripe = (event: object): Sent => sentByStripe(event, stripeSecret)
const signedByPaddle = (event: object): Sent => sentByPaddle(event, paddleSecret)

let keys: Awaited<ReturnType<typeof generateSigningKey>>
beforeAll(async () => {
  keys = await generateSigningKey()
})

interface Setting extends Partial<IssuerOptions> {
  /** The prices of a checkout at Stripe. */
  readonly bought?: readonly string[]
  /** The customer at Paddle. */
  readonly customer?: Readonly<Record<string, unknown>>
}

/** An issuer, and what it delivered and logged. */
async function startIssuer({ bought = ['price_pro'], customer = {}, ...options }: Setting = {}) {
  const delivered: IssuedLicense[] = []
  const lines: IssuerLogLine[] = []
  const shops = await startShops({ priceIds: bought, customer })
  onTestFinished(() => shops.close())
  const { port } = shops
  const stripe = new Stripe('sk_live_0', { host: '127.0.0.1', port, protocol: 'http', maxNetworkRetries: 0 })
  // Paddle's client uses any other text as its address.
  const paddle = new Paddle('pdl_live_apikey_0', { environment: `http://127.0.0.1:${port}` as Environment })
  const issuer = createIssuer({
    signingKey: keys.signingKey,
    products,
    stripe: { client: stripe, webhookSecret: stripeSecret },
    paddle: { client: paddle, webhookSecret: paddleSecret },
    deliver: (license) => delivered.push(license),
    log: (line) => lines.push(line),
    ...options,
  })
  const send = async (body: string, headers: Record<string, string>, method = 'POST'): Promise<unknown> => {
    const request = new Request('https://vendor.example/webhooks', {
      method,
      headers,
      ...(method === 'GET' ? {} : { body }),
    })
    const response = await issuer(request)
    return [response.status, z.object({ code: z.string() }).parse(await response.json()).code]
  }
  return { delivered, lines, shops, send }
}

/** What an app reads in a license key. */
async function licenseOf(licenseKey: string) {
  const service = signedKeys({ publicKeys: [keys.publicKey], product })
  const seen = await service.activate({ licenseKey, deviceName: 'Laptop', fingerprint: '0123456789abcdef' })
  return seen.kind === 'answer' ? seen.value.license : seen
}

test('a payment at Stripe gives a license key that the app accepts', async () => {
  const { send, delivered, lines } = await startIssuer()
  expect(await send(...signedByStripe(stripeEvent()))).toEqual([200, 'delivered'])
  expect(delivered).toEqual([
    {
      licenseKey: expect.stringMatching(/^LK1-/),
      id: 'stripe:pi_3SgK2kLkdIwHu7ix0mW5bT1c:price_pro',
      product,
      email: 'ada@example.com',
      name: 'Ada Lovelace',
      paymentId: 'pi_3SgK2kLkdIwHu7ix0mW5bT1c',
      provider: 'stripe',
    },
  ])
  expect(await licenseOf(delivered[0]?.licenseKey ?? '')).toMatchObject({
    plan: 'pro',
    features: ['export'],
    licensee: 'Ada Lovelace (ada@example.com)',
    endsAtMs: 'never',
  })
  expect(lines).toMatchObject([
    { level: 'info', code: 'delivered', provider: 'stripe', paymentId: 'pi_3SgK2kLkdIwHu7ix0mW5bT1c' },
  ])
  expect(JSON.stringify(lines)).not.toMatch(/LK1-|ada|lovelace/iu)
})

test('a payment at Paddle gives a license key with the name that Paddle knows', async () => {
  const { send, delivered } = await startIssuer()
  expect(await send(...signedByPaddle(paddleEvent()))).toEqual([200, 'delivered'])
  expect(delivered).toMatchObject([
    { email: 'ada@example.com', paymentId: 'txn_01kb3m4h6j8k0l2z4x6c8v0b2n', provider: 'paddle' },
  ])
  expect(await licenseOf(delivered[0]?.licenseKey ?? '')).toMatchObject({
    plan: 'pro',
    licensee: 'Ada Lovelace (ada@example.com)',
  })
})

test('a license that lasts some days ends so many days after the payment', async () => {
  const { send, delivered } = await startIssuer({ bought: ['price_year'] })
  await send(...signedByStripe(stripeEvent()))
  const day = new Date(1_793_181_600_000 + 30_000 * 86_400_000).toISOString().slice(0, 10)
  expect(await licenseOf(delivered[0]?.licenseKey ?? '')).toMatchObject({ endsAt: day })
})

test('a payment whose event is repeated after the end of its license has the same license key', async () => {
  const { send, delivered } = await startIssuer({ bought: ['price_week'] })
  const paidAt = Math.floor(Date.now() / 1000) - 40 * 86_400
  const event = signedByStripe(stripeEvent({}, { created: paidAt }))
  for (const _ of ['first', 'again']) expect(await send(...event)).toEqual([200, 'delivered'])
  expect(new Set(delivered.map(({ licenseKey }) => licenseKey)).size).toBe(1)
  const endsAt = new Date((paidAt + 7 * 86_400) * 1000).toISOString().slice(0, 10)
  expect(await licenseOf(delivered[0]?.licenseKey ?? '')).toMatchObject({ endsAt })
})

test.each([
  ['the event comes twice', [stripeEvent(), stripeEvent()]],
  [
    'the bank pays later, and the events come out of order',
    [
      stripeEvent({ payment_status: 'paid' }, { type: 'checkout.session.async_payment_succeeded' }),
      stripeEvent({ payment_status: 'unpaid' }),
      stripeEvent({ payment_status: 'paid' }, { type: 'checkout.session.async_payment_succeeded' }),
    ],
  ],
  [
    'the payment is sent as an object',
    [stripeEvent(), stripeEvent({ payment_intent: { id: 'pi_3SgK2kLkdIwHu7ix0mW5bT1c' } })],
  ],
])('a payment has one license key when %s', async (_, events) => {
  const { send, delivered } = await startIssuer()
  for (const event of events) expect(await send(...signedByStripe(event))).toContain(200)
  expect(delivered).toHaveLength(2)
  expect(new Set(delivered.map(({ licenseKey }) => licenseKey)).size).toBe(1)
})

test('two payments have two license keys, and what costs nothing has one as well', async () => {
  const { send, delivered } = await startIssuer()
  await send(...signedByStripe(stripeEvent()))
  await send(...signedByStripe(stripeEvent({ payment_intent: null, payment_status: 'no_payment_required' })))
  expect(new Set(delivered.map(({ licenseKey }) => licenseKey)).size).toBe(2)
  expect(delivered[1]?.paymentId).toBe('cs_live_b1Vt0pOQ2r4aWcE9uXk7')
})

test('each product of a payment has a license key, and other items have none', async () => {
  const { send, delivered } = await startIssuer({
    bought: ['price_pro', 'price_mug', 'price_year', 'price_pro'],
  })
  expect(await send(...signedByStripe(stripeEvent()))).toEqual([200, 'delivered'])
  expect(delivered.map(({ id }) => id.split(':').at(-1))).toEqual(['price_pro', 'prod_of_price_year'])
})

test('the shop sends the event again until the license key is delivered', async () => {
  const delivered: string[] = []
  let isMailDown = true
  const { send, lines } = await startIssuer({
    deliver: async ({ licenseKey }) => {
      if (isMailDown) throw new Error('The mail server refused ada@example.com')
      delivered.push(licenseKey)
    },
  })
  expect(await send(...signedByStripe(stripeEvent()))).toEqual([500, 'failed'])
  expect(lines).toMatchObject([{ level: 'error', detail: 'Error: The mail server refused …' }])
  isMailDown = false
  expect(await send(...signedByStripe(stripeEvent()))).toEqual([200, 'delivered'])
  expect(delivered).toHaveLength(1)
})

test.each<[string, () => Sent]>([
  ['stripe', () => signedByStripe(stripeEvent())],
  ['paddle', () => signedByPaddle(paddleEvent())],
])('nothing is delivered while %s can’t be asked, and the event is sent again', async (_, sent) => {
  const { send, delivered, shops } = await startIssuer()
  shops.isDown = true
  expect(await send(...sent())).toEqual([500, 'failed'])
  shops.isDown = false
  expect(await send(...sent())).toEqual([200, 'delivered'])
  expect(delivered).toHaveLength(1)
})

const hourAgo = Date.now() - 3_600_000
const testEvent = { livemode: false }
const simulated = { notification_id: 'ntfsimntf_01kb3m5vbr7t9y1u3i5o7p9a2s' }
test.each<[string, () => Sent, number, string]>([
  ['a wrong signature', () => sentByStripe(stripeEvent(), 'whsec_other'), 400, 'bad-signature'],
  [
    'a wrong signature of Paddle',
    () => sentByPaddle(paddleEvent(), 'pdl_ntfset_other'),
    400,
    'bad-signature',
  ],
  [
    'a changed body',
    () => [`${signedByStripe(stripeEvent())[0]} `, signedByStripe(stripeEvent())[1]],
    400,
    'bad-signature',
  ],
  [
    'a damaged signature',
    () => [JSON.stringify(paddleEvent()), { 'paddle-signature': 'x' }],
    400,
    'bad-signature',
  ],
  ['no signature', () => [JSON.stringify(stripeEvent()), {}], 400, 'bad-signature'],
  [
    'an event that is replayed an hour later',
    () => sentByStripe(stripeEvent(), stripeSecret, hourAgo),
    400,
    'bad-signature',
  ],
  ['the same from Paddle', () => sentByPaddle(paddleEvent(), paddleSecret, hourAgo), 400, 'bad-signature'],
  [
    'a body that is too long',
    () => signedByStripe(stripeEvent({ metadata: 'x'.repeat(300_000) })),
    413,
    'too-large',
  ],
  ['an event of test mode', () => signedByStripe(stripeEvent({}, testEvent)), 200, 'test-mode'],
  ['an event of Paddle’s simulator', () => signedByPaddle(paddleEvent({}, simulated)), 200, 'test-mode'],
  [
    'a payment that the bank still has to make',
    () => signedByStripe(stripeEvent({ payment_status: 'unpaid' })),
    200,
    'unpaid',
  ],
  ['a subscription', () => signedByStripe(stripeEvent({ mode: 'subscription' })), 200, 'subscription'],
  [
    'a subscription of Paddle',
    () => signedByPaddle(paddleEvent({ subscription_id: 'sub_1' })),
    200,
    'subscription',
  ],
  ['a refund', () => signedByStripe(stripeEvent({}, { type: 'charge.refunded' })), 200, 'other-event'],
  [
    'a transaction that isn’t completed',
    () => signedByPaddle(paddleEvent({}, { event_type: 'transaction.paid' })),
    200,
    'other-event',
  ],
  [
    'an event that is new to Paddle’s client',
    () => signedByPaddle(paddleEvent({}, { event_type: 'x.y' })),
    200,
    'other-event',
  ],
  ['another product', () => signedByPaddle(paddleEvent({ items: [] })), 200, 'unknown-product'],
  [
    'an event without its payment',
    () => signedByStripe({ ...stripeEvent(), data: { object: {} } }),
    500,
    'failed',
  ],
])('delivers nothing for %s', async (_, sent, status, code) => {
  const { send, delivered, lines } = await startIssuer()
  expect(await send(...sent())).toEqual([status, code])
  expect(delivered).toEqual([])
  expect(lines).toMatchObject([{ event: 'webhook', code, status }])
})

test('only a POST is an event', async () => {
  const { send } = await startIssuer()
  expect(await send('', signedByStripe(stripeEvent())[1], 'GET')).toEqual([405, 'not-post'])
})

test('test mode gives license keys if the vendor wants them', async () => {
  const { send } = await startIssuer({ testMode: true })
  expect(await send(...signedByStripe(stripeEvent({}, testEvent)))).toEqual([200, 'delivered'])
  expect(await send(...signedByPaddle(paddleEvent({}, simulated)))).toEqual([200, 'delivered'])
})

test.each([
  ['a long name', { name: '魚'.repeat(200) }, /^魚{30,} \(ada@example\.com\)$/u],
  ['a name with line breaks', { name: 'Ada\r\nLovelace' }, /^Ada Lovelace \(/u],
  ['no name', { name: null }, /^ada@example\.com$/u],
  ['a very long address', { email: `${'a'.repeat(300)}@example.com` }, /^Ada Lovelace$/u],
])('a customer with %s gets a license key', async (_, customer, licensee) => {
  const { send, delivered } = await startIssuer({ customer })
  expect(await send(...signedByPaddle(paddleEvent()))).toEqual([200, 'delivered'])
  expect(await licenseOf(delivered[0]?.licenseKey ?? '')).toMatchObject({
    licensee: expect.stringMatching(licensee),
  })
})

describe('options that can’t be used', () => {
  const shop = { client: new Stripe('sk_live_0'), webhookSecret: stripeSecret }
  test.each<[string, object, string]>([
    ['no shop', { stripe: undefined }, 'must have stripe, paddle, or both'],
    ['a public key', { signingKey: 'latchkey-public-secret-half' }, 'signingKey must be the signing key'],
    [
      'a webhook without a secret',
      { stripe: { ...shop, webhookSecret: '' } },
      'stripe.webhookSecret must be',
    ],
    [
      'a key instead of a client',
      { stripe: { ...shop, client: 'sk_live_secret-half' } },
      'stripe.client must be',
    ],
    ['the other shop’s client', { paddle: shop }, 'paddle.client must be new Paddle(apiKey)'],
    [
      'a product without a name',
      { products: { price_pro: { plan: 'pro' } } },
      'products.price_pro.product is missing',
    ],
    [
      'a license that ends at once',
      { products: { price_pro: { product, days: 0 } } },
      'products.price_pro.days must',
    ],
    [
      'a license that ends after more than a century',
      { products: { price_pro: { product, days: 36_501 } } },
      'products.price_pro.days must',
    ],
    [
      'a product with a long name',
      { products: { price_pro: { product: 'x'.repeat(101) } } },
      'products.price_pro.product must',
    ],
    [
      'too many features',
      { products: { price_pro: { product, features: Array(99).fill('export') } } },
      'at most 255 bytes',
    ],
    ['a typo', { delivre: () => {} }, 'did you mean "deliver"'],
  ])('%s', (_, changed, sentence) => {
    const options = { signingKey: keys.signingKey, products, stripe: shop, deliver: () => {}, ...changed }
    expect(() => createIssuer(options)).toThrow(sentence)
    expect(() => createIssuer(options)).not.toThrow('secret-half')
  })
})
