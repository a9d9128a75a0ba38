import { createHmac } from 'node:crypto'
import { startLocalServer } from '../workspace/local-server.ts'

// Events in the shapes that Stripe (API version 2026-10-28) and Paddle Billing send, with made-up customers.

/** A webhook's request: its body and headers. */
export type Sent = readonly [body: string, headers: Record<string, string>]

/** Signs an event as Stripe does. */
export function sentByStripe(event: unknown, secret: string, sentAtMs: number = Date.now()): Sent {
  const body = JSON.stringify(event)
  const time = Math.floor(sentAtMs / 1000)
  return [body, { 'stripe-signature': `t=${time},v1=${hmac(secret, `${time}.${body}`)}` }]
}

/**
 * Signs an event as Paddle does.
 *
 * @param sentAtMs by default in a minute: Paddle's client accepts an event for five seconds, which may be too short for a
 * busy machine.
 */
export function sentByPaddle(event: unknown, secret: string, sentAtMs: number = Date.now() + 60_000): Sent {
  const body = JSON.stringify(event)
  const time = Math.floor(sentAtMs / 1000)
  return [body, { 'paddle-signature': `ts=${time};h1=${hmac(secret, `${time}:${body}`)}` }]
}

function hmac(secret: string, text: string): string {
  return createHmac('sha256', secret).update(text).digest('hex')
}

/** What was bought at Stripe, and by whom at Paddle. */
interface Sale {
  readonly priceIds?: readonly string[]
  readonly customer?: Readonly<Record<string, unknown>>
}

/** The shops' interface for servers, on this machine. */
export interface EmulatedShops {
  readonly port: number
  /** Whether every request is answered with an error. */
  isDown: boolean
  close(): Promise<void>
}

/** Starts what Stripe and Paddle answer when a webhook's handler asks for the items and for the customer. */
export async function startShops({
  priceIds = ['price_pro'],
  customer = {},
}: Sale = {}): Promise<EmulatedShops> {
  const { url: origin, close } = await startLocalServer(({ url = '' }, response) => {
    const known = url.startsWith('/customers/') ? paddleCustomer(customer) : stripeLineItems(priceIds)
    response.writeHead(shops.isDown ? 503 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(shops.isDown ? { error: { code: 'down', detail: 'Down.' } } : known))
  })
  const shops = { port: Number(new URL(origin).port), isDown: false, close }
  return shops
}

/** Stripe's event about a completed checkout. The items aren't part of it. */
export function stripeEvent(
  session: Readonly<Record<string, unknown>> = {},
  event: Readonly<Record<string, unknown>> = {},
): object {
  return {
    id: 'evt_1SgK2mLkdIwHu7ixVd0PzQ9a',
    object: 'event',
    api_version: '2026-10-28.endive',
    created: 1_793_181_600,
    livemode: true,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type: 'checkout.session.completed',
    ...event,
    data: {
      object: {
        id: 'cs_live_b1Vt0pOQ2r4aWcE9uXk7',
        object: 'checkout.session',
        amount_subtotal: 4900,
        amount_total: 5831,
        client_reference_id: null,
        created: 1_793_181_540,
        currency: 'eur',
        customer: null,
        customer_creation: 'if_required',
        customer_details: {
          address: { city: null, country: 'GB', line1: null, line2: null, postal_code: null, state: null },
          business_name: null,
          email: 'ada@example.com',
          individual_name: null,
          name: 'Ada Lovelace',
          phone: null,
          tax_exempt: 'none',
          tax_ids: [],
        },
        expires_at: 1_793_267_940,
        invoice: null,
        livemode: true,
        metadata: {},
        mode: 'payment',
        payment_intent: 'pi_3SgK2kLkdIwHu7ix0mW5bT1c',
        payment_link: 'plink_1SfQ0aLkdIwHu7ixN8e3Ys6d',
        payment_method_types: ['card'],
        payment_status: 'paid',
        status: 'complete',
        subscription: null,
        url: null,
        ...session,
      },
    },
  }
}

/** Stripe's answer to a request for the items of a checkout. */
function stripeLineItems(priceIds: readonly string[]): object {
  const data = priceIds.map((id, index) => ({
    id: `li_${index}`,
    object: 'item',
    amount_total: 4900,
    currency: 'eur',
    description: 'Inkwell Pro',
    price: { id, object: 'price', active: true, currency: 'eur', product: `prod_of_${id}`, type: 'one_time' },
    quantity: 1,
  }))
  return { object: 'list', data, has_more: false, url: '/v1/checkout/sessions/cs/line_items' }
}

/** Paddle's event about a completed transaction. The customer is part of it by its ID alone. */
export function paddleEvent(
  transaction: Readonly<Record<string, unknown>> = {},
  event: Readonly<Record<string, unknown>> = {},
): object {
  return {
    event_id: 'evt_01kb3m5v9q2w4x6z8c0d1f3g5h',
    event_type: 'transaction.completed',
    occurred_at: '2026-10-28T10:02:01.155553Z',
    notification_id: 'ntf_01kb3m5vbr7t9y1u3i5o7p9a2s',
    ...event,
    data: {
      id: 'txn_01kb3m4h6j8k0l2z4x6c8v0b2n',
      status: 'completed',
      customer_id: 'ctm_01kb3m3q5w7e9r1t3y5u7i9o1p',
      address_id: 'add_01kb3m3q7a9s1d3f5g7h9j1k3l',
      business_id: null,
      custom_data: null,
      currency_code: 'EUR',
      origin: 'web',
      subscription_id: null,
      invoice_id: 'inv_01kb3m5p1z3x5c7v9b1n3m5q7w',
      invoice_number: '325-10566',
      collection_mode: 'automatic',
      discount_id: null,
      billing_details: null,
      billing_period: null,
      checkout: { url: 'https://example.com/buy?_ptxn=txn_01kb3m4h6j8k0l2z4x6c8v0b2n' },
      created_at: '2026-10-28T10:00:33.653418Z',
      updated_at: '2026-10-28T10:02:00.624571Z',
      billed_at: '2026-10-28T10:00:00.000000Z',
      revised_at: null,
      payments: [],
      details: null,
      items: [
        {
          price: {
            id: 'pri_01kb3kzz1q3w5e7r9t1y3u5i7o',
            product_id: 'pro_01kb3kxx2a4s6d8f0g2h4j6k8l',
            name: 'Pro',
            description: 'Inkwell Pro',
            type: 'standard',
            status: 'active',
            tax_mode: 'account_setting',
            billing_cycle: null,
            trial_period: null,
            quantity: { minimum: 1, maximum: 1 },
            unit_price: { amount: '4900', currency_code: 'EUR' },
            unit_price_overrides: [],
            custom_data: null,
            import_meta: null,
            created_at: '2026-02-23T13:55:22.538367Z',
            updated_at: '2026-04-11T13:54:52.254748Z',
          },
          quantity: 1,
          proration: null,
        },
      ],
      ...transaction,
    },
  }
}

/** Paddle's answer to a request for a customer. */
function paddleCustomer(customer: Readonly<Record<string, unknown>>): object {
  return {
    data: {
      id: 'ctm_01kb3m3q5w7e9r1t3y5u7i9o1p',
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      marketing_consent: false,
      status: 'active',
      custom_data: null,
      locale: 'en',
      created_at: '2026-10-28T10:00:30.000000Z',
      updated_at: '2026-10-28T10:00:30.000000Z',
      import_meta: null,
      ...customer,
    },
    meta: { request_id: '1b2c3d4e-5f60-4718-92a3-b4c5d6e7f809' },
  }
}
