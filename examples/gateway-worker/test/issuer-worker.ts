import { createIssuer } from '@latchkey/gateway/issuer'
import { type Environment, Paddle } from '@paddle/paddle-node-sdk'
import Stripe from 'stripe'

interface Secrets {
  readonly SIGNING_KEY: string
  readonly SHOPS_PORT: string
}

/** Sells at both shops, and answers with the license keys instead of sending emails. */
// biome-ignore lint/style/noDefaultExport: Workers take the handler from it.
export default {
  async fetch(request: Request, { SIGNING_KEY, SHOPS_PORT }: Secrets): Promise<Response> {
    const delivered: string[] = []
    const port = Number(SHOPS_PORT)
    const environment = `http://127.0.0.1:${port}` as Environment
    const issuer = createIssuer({
      signingKey: SIGNING_KEY,
      stripe: {
        client: new Stripe('sk_live_0', { host: '127.0.0.1', port, protocol: 'http' }),
        webhookSecret: 'whsec_0',
      },
      paddle: { client: new Paddle('pdl_live_0', { environment }), webhookSecret: 'pdl_ntfset_0' },
      products: { price_pro: { product: 'notes' }, pri_01kb3kzz1q3w5e7r9t1y3u5i7o: { product: 'notes' } },
      deliver: ({ licenseKey }) => delivered.push(licenseKey),
      log: () => {},
    })
    const { status } = await issuer(request)
    return Response.json(delivered, { status })
  },
}
