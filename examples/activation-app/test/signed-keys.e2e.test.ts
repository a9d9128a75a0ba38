import { createServer, type IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { createIssuer } from '@latchkey/gateway/issuer'
import { sentByStripe, startShops, stripeEvent } from '@latchkey/scripts/shops/emulated-shops'
import { generateSigningKey } from '@latchkey/services/issue'
import Stripe from 'stripe'
import { expect, onTestFinished } from 'vitest'
import { activateInkwell, openLicensePanel, pasteKey, test } from './inkwell.ts'

/** Sells a license at Stripe's checkout. @returns the license key that the customer gets. */
async function sell(signingKey: string): Promise<string> {
  const shops = await startShops()
  onTestFinished(() => shops.close())
  const client = new Stripe('sk_live_0', { host: '127.0.0.1', port: shops.port, protocol: 'http' })
  const emails: string[] = []
  const issuer = createIssuer({
    signingKey,
    stripe: { client, webhookSecret: 'whsec_0' },
    products: { price_pro: { product: 'inkwell', plan: 'Pro' } },
    deliver: ({ licenseKey, name }) =>
      emails.push(`Dear ${name},\nyour license key:\n${licenseKey}\nHave fun!`),
    log: () => {},
  })
  const [body, headers] = sentByStripe(stripeEvent(), 'whsec_0')
  await issuer(new Request('https://vendor.example/webhooks', { method: 'POST', body, headers }))
  expect(emails).toHaveLength(1)
  return emails.join()
}

/** A proxy that every request of the app would go through, and that answers none. */
async function startProxy() {
  const asked: string[] = []
  const refuse = (request: IncomingMessage, socket: Duplex): void => {
    asked.push(`${request.method} ${request.url}`)
    socket.destroy()
  }
  const server = createServer((request) => refuse(request, request.socket)).on('connect', refuse)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return { asked, switches: [`--proxy-server=http://127.0.0.1:${port}`] }
}

test('an app that is sold without any service activates, starts and deactivates without a network', async ({
  openInkwell,
}) => {
  const { signingKey, publicKey } = await generateSigningKey()
  const email = await sell(signingKey)
  const proxy = await startProxy()
  const env = {
    LATCHKEY_SERVICE: 'signed-keys',
    LATCHKEY_SERVICE_SETTINGS: JSON.stringify({ publicKeys: publicKey, product: 'inkwell' }),
    LATCHKEY_SERVICE_URL: undefined,
    LATCHKEY_SERVICE_TOKEN: undefined,
    LATCHKEY_LICENSE_KEYS: undefined,
    LATCHKEY_LEASE_KEYS: undefined,
  }
  const open = () => openInkwell({ env, switches: proxy.switches })

  const first = await open()
  const activation = await first.activationWindow()
  const other = await sell((await generateSigningKey()).signingKey)
  await pasteKey(activation, other)
  await activation.getByText('We couldn’t find this license key.').first().waitFor()
  const main = await activateInkwell(first, email)
  await openLicensePanel(main)
  const panel = main.getByRole('dialog')
  expect(await panel.locator('[data-field=status]').textContent()).toBe('Licensed')
  expect(await panel.locator('[data-field=licensee]').textContent()).toBe('Ada Lovelace (ada@example.com)')
  expect(await panel.locator('[data-field=seats]').count()).toBe(0)
  await first.close()

  const second = await open()
  const opened = await second.mainWindow()
  expect(await opened.evaluate(() => window.latchkey.validate())).toMatchObject({ status: 'active' })
  await opened.evaluate(() => window.latchkey.openActivationWindow())
  const shown = await second.activationWindow()
  await shown.getByText('Ada Lovelace (ada@example.com)').waitFor()
  await shown.getByRole('button', { name: 'Deactivate' }).click()
  await shown.getByRole('heading', { name: 'Deactivate' }).waitFor()
  expect(await shown.locator('section').textContent()).not.toMatch(/seat|device/iu)
  await shown.getByRole('button', { name: 'Deactivate' }).click()
  await shown.getByRole('textbox').waitFor()
  // Chromium itself downloads a dictionary for the notes.
  expect(proxy.asked.filter((request) => !request.includes(' redirector.gvt1.com:'))).toEqual([])
})
