import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { generateSigningKey } from '@latchkey/services/issue'
import { findLicenseKey } from '@latchkey/services/license-key'
import { signedKeys } from '@latchkey/services/signed-keys'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod/mini'
import { parsePage, readMarkdownPages } from '../docs/pages.ts'
import { runNode, writeRecipeProject } from '../docs/run-in-docs.ts'
import {
  paddleEvent,
  type Sent,
  sentByPaddle,
  sentByStripe,
  startShops,
  stripeEvent,
} from '../shops/emulated-shops.ts'

const page = (await readMarkdownPages()).find(({ file }) => file === 'docs/no-licensing-service.md')
const blocks = page === undefined ? [] : parsePage(page).blocks.filter(({ language }) => language === 'ts')

/** A mail service that takes everything. */
async function startMailService() {
  const emails: string[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      emails.push(z.object({ text: z.string() }).parse(JSON.parse(body)).text)
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  return { emails, url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}` }
}

/** Runs a server of the page, with the shop and its port on this machine. */
async function startServer(file: string, shopPort: number, env: Readonly<Record<string, string>>) {
  const code = blocks.map((block) => ({
    ...block,
    code: block.code
      .replace(
        '(STRIPE_SECRET_KEY)',
        `(STRIPE_SECRET_KEY, { host: '127.0.0.1', port: ${shopPort}, protocol: 'http' })`,
      )
      .replace(
        '(PADDLE_API_KEY)',
        `(PADDLE_API_KEY, { environment: 'http://127.0.0.1:${shopPort}' as never })`,
      )
      .replace('port: 8788 })', "port: 0, hostname: '127.0.0.1' }, ({ port }) => console.log('port', port))"),
  }))
  const project = await writeRecipeProject(code)
  onTestFinished(project.remove)
  const server = spawn(process.execPath, [file], {
    cwd: project.folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(server, 'close')
  onTestFinished(async () => {
    server.kill()
    await ended
  })
  for await (const line of createInterface(server.stdout)) {
    const [, port] = /^port (\d+)$/u.exec(line) ?? []
    if (port !== undefined) return `http://127.0.0.1:${port}`
  }
  throw new Error(`${file} ended before it listened.`)
}

const today = new Date().toISOString()
test.each<[string, () => Sent]>([
  ['stripe.ts', () => sentByStripe(stripeEvent(), 'whsec_0')],
  ['paddle.ts', () => sentByPaddle(paddleEvent({ billed_at: today }), 'pdl_ntfset_0')],
])('%s of the page sells a license key by email that the app accepts', async (file, sent) => {
  const { signingKey, publicKey } = await generateSigningKey()
  const shops = await startShops({ priceIds: ['price_1PqQ8xLkdIwHu7ix'] })
  onTestFinished(() => shops.close())
  const mail = await startMailService()
  const origin = await startServer(file, shops.port, {
    LATCHKEY_LICENSE_SIGNING_KEY: signingKey,
    STRIPE_SECRET_KEY: 'sk_live_0',
    STRIPE_WEBHOOK_SECRET: 'whsec_0',
    PADDLE_API_KEY: 'pdl_live_apikey_0',
    PADDLE_WEBHOOK_SECRET: 'pdl_ntfset_0',
    MAIL_URL: mail.url,
  })
  const [body, headers] = sent()
  const response = await fetch(origin, { method: 'POST', body, headers })
  expect([response.status, await response.json()]).toEqual([200, { code: 'delivered' }])
  const service = signedKeys({ publicKeys: [publicKey], product: 'notes' })
  const found = findLicenseKey(mail.emails.join(), 'signed')
  expect(found).toMatchObject({ ok: true })
  const licenseKey = found.ok ? found.licenseKey : ''
  expect(
    await service.activate({ licenseKey, deviceName: 'Laptop', fingerprint: '0'.repeat(16) }),
  ).toMatchObject({
    kind: 'answer',
    value: { license: { licensee: 'Ada Lovelace (ada@example.com)' } },
  })
})

test('the page issues a license key for a shop of one’s own', async () => {
  const issue = blocks.filter(({ code }) => code.includes('import { issueLicenseKey }'))
  const project = await writeRecipeProject(issue.map((block) => ({ ...block, fileName: 'issue.ts' })))
  onTestFinished(project.remove)
  const env = { ...process.env, LATCHKEY_LICENSE_SIGNING_KEY: (await generateSigningKey()).signingKey }
  expect((await runNode(['issue.ts'], { cwd: project.folder, env })).output).toMatch(/^LK1-/u)
})
