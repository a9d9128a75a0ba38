import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { generateSigningKey } from '@latchkey/services/issue'
import { signedKeys } from '@latchkey/services/signed-keys'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod/mini'
import { commandsOf, parseCommand, readBlocks } from '../docs/pages.ts'
import { nodeArguments, runNode, writeRecipeProject } from '../docs/run-in-docs.ts'
import { paddleEvent, sentByPaddle, sentByStripe, startShops, stripeEvent } from '../shops/emulated-shops.ts'
import { startLocalServer } from '../workspace/local-server.ts'

const all = await readBlocks('docs/no-licensing-service.md')
const blocks = all.filter(({ language, code }) => language === 'ts' && !code.includes('@latchkey/electron'))

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

/** Runs the page's server, with the shops and its port on this machine. */
async function startServer(shopPort: number, env: Readonly<Record<string, string>>) {
  const code = blocks.map((block) => ({
    ...block,
    code: block.code
      .replace(
        "(secret('STRIPE_SECRET_KEY'))",
        `(secret('STRIPE_SECRET_KEY'), { host: '127.0.0.1', port: ${shopPort}, protocol: 'http' })`,
      )
      .replace(
        "(secret('PADDLE_API_KEY'))",
        `(secret('PADDLE_API_KEY'), { environment: 'http://127.0.0.1:${shopPort}' as never })`,
      )
      .replace('port: 8788 })', "port: 0, hostname: '127.0.0.1' }, ({ port }) => console.log('port', port))"),
  }))
  const project = await writeRecipeProject(code)
  onTestFinished(project.remove)
  const server = spawn(process.execPath, ['sell.ts'], {
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
  throw new Error('sell.ts ended before it listened.')
}

test('the page’s server sells license keys of both shops by email, and the app accepts them', async () => {
  const { signingKey, publicKey } = await generateSigningKey()
  const shops = await startShops({ priceIds: ['price_1PqQ8xLkdIwHu7ix'] })
  onTestFinished(() => shops.close())
  const mail = await startMailService()
  const origin = await startServer(shops.port, {
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
    expect(
      await service.activate({ licenseKey, deviceName: 'Laptop', fingerprint: '0'.repeat(16) }),
    ).toMatchObject({
      kind: 'answer',
      value: { license: { licensee: 'Ada Lovelace (ada@example.com)' } },
    })
  }
})

test('the page’s commands run one after another', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-sign-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const commands = commandsOf(all).filter((command) => command.startsWith('latchkey '))
  expect(commands).toHaveLength(3)
  const outputs: string[] = []
  for (const command of commands) {
    const args = nodeArguments(parseCommand(command).words) ?? []
    const { exitCode, output } = await runNode(args, { cwd: folder, env: process.env })
    expect(exitCode, output).toBe(0)
    outputs.push(output)
  }
  const [publicKey = ''] = /latchkey-public-[\w-]+/u.exec(outputs[0] ?? '') ?? []
  const service = signedKeys({ publicKeys: [publicKey], product: 'notes' })
  const request = { licenseKey: outputs[1]?.trim() ?? '', deviceName: '', fingerprint: '' }
  const seen = await service.activate(request)
  expect(seen.kind).toBe('answer')
  const revoked = await readFile(path.join(folder, 'revoked.json'), 'utf8')
  expect(revoked).toContain(seen.kind === 'answer' ? seen.value.license.id : '')
})
