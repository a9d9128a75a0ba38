import {
  paddleEvent,
  sentByPaddle,
  sentByStripe,
  startShops,
  stripeEvent,
} from '@latchkey/scripts/shops/emulated-shops'
import { generateSigningKey } from '@latchkey/services/issue'
import { signedKeys } from '@latchkey/services/signed-keys'
import { expect, onTestFinished, test } from 'vitest'
import { runWorker } from './run-worker.ts'

test('a payment at Stripe or Paddle gives a license key on workerd, and a wrong signature gives none', async () => {
  const { signingKey, publicKey } = await generateSigningKey()
  const shops = await startShops()
  onTestFinished(() => shops.close())
  const secrets = { SIGNING_KEY: signingKey, SHOPS_PORT: String(shops.port) }
  const { origin } = await runWorker(secrets, '../test/issuer-worker')
  const send = ([body, headers]: ReturnType<typeof sentByStripe>) =>
    fetch(origin, { method: 'POST', body, headers })
  const service = signedKeys({ publicKeys: [publicKey], product: 'notes' })
  for (const sent of [sentByStripe(stripeEvent(), 'whsec_0'), sentByPaddle(paddleEvent(), 'pdl_ntfset_0')]) {
    const [licenseKey = ''] = await (await send(sent)).json()
    const seen = await service.activate({ licenseKey, deviceName: '', fingerprint: '' })
    expect(seen).toMatchObject({
      kind: 'answer',
      value: { license: { licensee: 'Ada Lovelace (ada@example.com)' } },
    })
  }
  const refused = await send(sentByStripe(stripeEvent(), 'whsec_other'))
  expect([refused.status, await refused.json()]).toEqual([400, []])
})
