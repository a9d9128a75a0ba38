import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { generateSigningKey } from '@latchkey/services/issue'
import { keygen } from '@latchkey/services/keygen'
import { signedKeys } from '@latchkey/services/signed-keys'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod/mini'
import { type CodeBlock, commandsOf, parseCommand, readBlocks } from '../docs/pages.ts'
import { nodeArguments, runNode, writeRecipeProject } from '../docs/run-in-docs.ts'
import { paddleEvent, sentByPaddle, sentByStripe, startShops, stripeEvent } from '../shops/emulated-shops.ts'
import { startLocalServer } from '../workspace/local-server.ts'
import { temporaryFolder } from './side-by-side.ts'

const all = await readBlocks('docs/no-licensing-service.md')
const keygenPage = await readBlocks('docs/services/keygen.md')

/** The request for a new license at Keygen. */
const Created = z.object({ data: z.object({ attributes: z.object({ key: z.string() }) }) })

/** A mail service that takes everything. */
async function startMailService() {
  const emails: string[] = []
  const { url, close } = await startLocalServer((request, response) => {
    void text(request).then((body) => {
      emails.push(z.object({ text: z.string() }).parse(JSON.parse(body)).text)
      response.end()
    })
  })
  onTestFinished(close)
  return { emails, url }
}

/**
 * Runs a page's server.
 *
 * @param here what it asks for on the internet, and what replaces that on this machine.
 */
async function startServer(
  file: string,
  blocks: readonly CodeBlock[],
  here: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>>,
) {
  const port = "port: 0, hostname: '127.0.0.1' }, ({ port }) => console.log('port', port))"
  const replacements = Object.entries({ ...here, 'port: 8788 })': port })
  const code = blocks
    .filter(({ language, code }) => language === 'ts' && !code.includes('@latchkey/electron'))
    .map((block) => ({
      ...block,
      code: replacements.reduce((text, [there, local]) => text.replace(there, local), block.code),
    }))
  const cwd = await writeRecipeProject(code)
  const server = spawn(process.execPath, [file], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] })
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

test('the page’s server sells license keys of both shops by email, and the app accepts them', async () => {
  const { signingKey, publicKey } = await generateSigningKey()
  const shops = await startShops({ priceIds: ['price_1PqQ8xLkdIwHu7ix'] })
  onTestFinished(() => shops.close())
  const mail = await startMailService()
  const here = {
    "(secret('STRIPE_SECRET_KEY'))": `(secret('STRIPE_SECRET_KEY'), { host: '127.0.0.1', port: ${shops.port}, protocol: 'http' })`,
    "(secret('PADDLE_API_KEY'))": `(secret('PADDLE_API_KEY'), { environment: 'http://127.0.0.1:${shops.port}' as never })`,
  }
  const origin = await startServer('sell.ts', all, here, {
    LATCHKEY_LICENSE_SIGNING_KEY: signingKey,
    STRIPE_SECRET_KEY: 'sk_live_0',
    STRIPE_WEBHOOK_SECRET: 'whsec_0',
    PADDLE_API_KEY: 'pdl_live_apikey_0',
    PADDLE_WEBHOOK_SECRET: 'pdl_ntfset_0',
    MAIL_URL: mail.url,
  })
  const paid = { billed_at: new Date().toISOString() }
  const sent = [sentByStripe(stripeEvent(), 'whsec_0'), sentByPaddle(paddleEvent(paid), 'pdl_ntfset_0')]
  for (const [body, headers] of sent) {
    const response = await fetch(origin, { method: 'POST', body, headers })
    expect([response.status, await response.json()]).toEqual([200, { code: 'delivered' }])
  }
  const service = signedKeys({ publicKeys: [publicKey], product: 'notes' })
  expect(mail.emails).toHaveLength(2)
  for (const email of mail.emails) {
    const found = service.findLicenseKey(email)
    const licenseKey = found.ok ? found.licenseKey : ''
    const activated = await service.activate({ licenseKey, deviceName: '', fingerprint: '' })
    const license = { licensee: 'Ada Lovelace (ada@example.com)' }
    expect(activated).toMatchObject({ kind: 'answer', value: { license } })
  }
})

test('the webhook between Stripe and Keygen creates one license, emails its key, and suspends it', async () => {
  const mail = await startMailService()
  const licenses = new Map<string, string>()
  const keygenServer = await startLocalServer((request, response) => {
    void text(request).then((body) => {
      const [, key = '', action] = /\/licenses\/([^/]+)(\/actions\/suspend)?$/u.exec(request.url ?? '') ?? []
      if (key === '') licenses.set(Created.parse(JSON.parse(body)).data.attributes.key, 'active')
      if (action !== undefined && licenses.has(key)) licenses.set(key, 'suspended')
      response.writeHead(key === '' || licenses.has(key) ? 200 : 404).end()
    })
  })
  onTestFinished(keygenServer.close)
  const here = { 'https://api.keygen.sh': keygenServer.url }
  const origin = await startServer('keygen-webhook.ts', keygenPage, here, {
    STRIPE_SECRET_KEY: 'sk_live_0',
    STRIPE_WEBHOOK_SECRET: 'whsec_0',
    MAIL_URL: mail.url,
  })
  const send = async (event: object, secret = 'whsec_0'): Promise<number> => {
    const [body, headers] = sentByStripe(event, secret)
    return (await fetch(origin, { method: 'POST', body, headers })).status
  }
  expect(await send(stripeEvent(), 'whsec_1')).toBe(500)
  expect(await send(stripeEvent({ payment_status: 'unpaid' }))).toBe(200)
  expect(mail.emails).toEqual([])
  expect([await send(stripeEvent()), await send(stripeEvent())]).toEqual([200, 200])
  const [key = ''] = mail.emails
  expect(mail.emails).toEqual([key, key])
  expect([...licenses]).toEqual([[key, 'active']])
  const service = keygen({ account: 'notes', product: '3713fb33-1f64-4f68-9bc7-8e1f6b0a1e6d' })
  expect(service.findLicenseKey(`Your license key: ${key}`)).toEqual({ ok: true, licenseKey: key })
  const refund = { type: 'charge.refunded' }
  expect(await send(stripeEvent({ refunded: true, payment_intent: 'pi_of_another' }, refund))).toBe(200)
  expect([...licenses]).toEqual([[key, 'active']])
  expect(await send(stripeEvent({ refunded: true }, refund))).toBe(200)
  expect([...licenses]).toEqual([[key, 'suspended']])
})

test('the page’s commands run one after another', async () => {
  const folder = await temporaryFolder()
  const commands = commandsOf(all).filter((command) => command.startsWith('latchkey '))
  expect(commands).toHaveLength(3)
  const outputs: string[] = []
  for (const command of commands) {
    outputs.push(await runNode(nodeArguments(parseCommand(command).words), { cwd: folder }))
  }
  const [publicKey = ''] = /latchkey-public-[\w-]+/u.exec(outputs[0] ?? '') ?? []
  const service = signedKeys({ publicKeys: [publicKey], product: 'notes' })
  const request = { licenseKey: outputs[1]?.trim() ?? '', deviceName: '', fingerprint: '' }
  const seen = await service.activate(request)
  expect(seen.kind).toBe('answer')
  const revoked = await readFile(path.join(folder, 'revoked.json'), 'utf8')
  expect(revoked).toContain(seen.kind === 'answer' ? seen.value.license.id : '')
})
