import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { type Emulator, startEmulator } from '@latchkey/emulator'
import { markdownTable, withTables } from '@latchkey/scripts/docs/markdown-table'
import { allowConcurrentTests } from '@latchkey/scripts/test/side-by-side'
import { type ServiceName, serviceNames, serviceSettings } from '@latchkey/services/environment'
import { writeOfflineRequest } from '@latchkey/services/offline'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { generateSigningKey, leaseKeysOf, verifyLease } from '../src/index.ts'
import { environmentHelp, settingsTable } from '../src/node/environment.ts'
import { freePort } from './free-port.ts'
import { accessToken, keyName, nonce, startService } from './gateway-fixture.ts'
import { runGatewayCommand, startGatewayHere } from './gateway-process.ts'
import { asking, claimsOf } from './offline/offline-fixture.ts'
import { environmentOf, routesAt, startFace } from './services/face-fixture.ts'

allowConcurrentTests()

let emulator: Emulator
beforeAll(async () => {
  emulator = await startEmulator({ accessToken, customers: 0, discounts: 0 })
})
afterAll(() => emulator.close())

const start = (env: Record<string, string> = {}) =>
  startGatewayHere({
    LATCHKEY_UPSTREAM: emulator.baseUrl,
    LATCHKEY_ACCESS_TOKEN: accessToken,
    ...env,
  })

/** Requests a list of keys. */
async function list(baseUrl: string, headers: Record<string, string> = {}): Promise<Response> {
  return await fetch(`${baseUrl}/licenses/${emulator.demoLicense.id}/keys`, { headers })
}

/** Requests a page of a new gateway. */
async function page(path: string, env: Record<string, string>): Promise<{ status: number; text: string }> {
  const { baseUrl } = await start(env)
  const answer = await fetch(`${baseUrl}${path}`)
  return { status: answer.status, text: await answer.text() }
}

async function devicesPage(env: Record<string, string>): Promise<string> {
  return (await page('/devices', { LATCHKEY_DEVICES_PAGE: '1', ...env })).text
}

/** Returns the statuses of several such requests, sent one after the other. */
async function statuses(baseUrl: string, count: number, headers = {}): Promise<number[]> {
  const answers: number[] = []
  for (let index = 0; index < count; index += 1) answers.push((await list(baseUrl, headers)).status)
  return answers
}

/** Returns the claims of a lease that a gateway with these settings signs for a license. */
async function claims(env: Record<string, string>, license: { expires_at: string | null }) {
  const signingKey = await generateSigningKey()
  const { baseUrl } = await start({ LATCHKEY_SIGNING_KEY: JSON.stringify(signingKey), ...env })
  const { id } = emulator.control.createLicense({ ...license, keys: [keyName] })
  const key = emulator.control.keys(id)[0]?.id
  const answer = await fetch(`${baseUrl}/licenses/${id}/validate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'latchkey-nonce': nonce },
    body: JSON.stringify({ key }),
  })
  const leaseKeys = await leaseKeysOf([signingKey])
  const lease = answer.headers.get('latchkey-lease') ?? ''
  const verdict = await verifyLease(lease, { leaseKeys, nowMs: Date.now(), nonce })
  if (!verdict.trusted) throw new Error(verdict.refusal)
  return verdict.claims
}

const dayMs = 86_400_000
const minuteMs = 60_000

/**
 * Repeats a measurement with a new gateway if it spans two minutes, because limits count per minute.
 */
async function withinOneMinute<Measured>(measure: () => Promise<Measured>): Promise<Measured> {
  const minute = Math.floor(Date.now() / minuteMs)
  const measured = await measure()
  return Math.floor(Date.now() / minuteMs) === minute ? measured : await withinOneMinute(measure)
}

/** Expects a Retry-After until the end of the minute, or up to one minute later. Refused computers come back spread. */
function expectNextMinute(refusal: Response): void {
  const waitMs = Number(refusal.headers.get('retry-after')) * 1000
  const untilNextMs = minuteMs - (Date.now() % minuteMs)
  expect(refusal.status).toBe(429)
  expect(waitMs + 2_000).toBeGreaterThanOrEqual(untilNextMs)
  expect(waitMs).toBeLessThanOrEqual(2 * minuteMs + 2_000)
}

/**
 * Checks the observable effect of every variable. A new variable without an entry doesn't compile. Redis has its own
 * test with a real server. Here, the command reports the missing packages.
 */
const effects: Record<string, () => Promise<void>> = {
  async PORT() {
    const port = await freePort()
    const { origin } = await start({ PORT: String(port) })
    expect(origin).toBe(`http://127.0.0.1:${port}`)
    expect((await list(`http://127.0.0.1:${port}/v1`)).status).toBe(200)
  },

  async HOST() {
    const everywhere = await start({ HOST: '' })
    const loopback = await start({ HOST: '127.0.0.1' })
    // On Linux, all of 127.0.0.0/8 is this machine. On other systems, only 127.0.0.1 is.
    const other = process.platform === 'linux' ? '127.0.0.2' : '127.0.0.1'
    expect((await fetch(`${everywhere.origin.replace('127.0.0.1', other)}/healthz`)).status).toBe(200)
    if (other === '127.0.0.2') {
      await expect(fetch(`${loopback.origin.replace('127.0.0.1', other)}/healthz`)).rejects.toThrow()
    }
    expect((await fetch(`${loopback.origin}/healthz`)).status).toBe(200)
  },

  async LATCHKEY_SERVICE() {
    const face = await startFace('polar')
    const { baseUrl } = await start({ LATCHKEY_SERVICE: 'polar', ...environmentOf('polar', face) })
    const listed = await routesAt(baseUrl).of(face.licenseKey).keys()
    expect(listed).toMatchObject({ status: 200, body: { data: [] } })
  },

  async LATCHKEY_UPSTREAM() {
    const other = await startService()
    const { baseUrl } = await start({ LATCHKEY_UPSTREAM: `${other.baseUrl}/` })
    expect((await list(baseUrl)).status).toBe(200)
    expect(other.control.requests()).toHaveLength(1)
  },

  async LATCHKEY_ACCESS_TOKEN() {
    const { baseUrl } = await start({ LATCHKEY_ACCESS_TOKEN: 'another-token' })
    const answer = await list(baseUrl)
    expect([answer.status, await answer.json()]).toEqual([502, { error: 'upstream-unauthorized' }])
  },

  async LATCHKEY_OFFLINE_DAYS() {
    const signingKey = await generateSigningKey()
    const LATCHKEY_SIGNING_KEY = JSON.stringify(signingKey)
    const request = writeOfflineRequest({ ...asking, licenseKey: emulator.demoLicense.id })
    const ask = async (env: Record<string, string>) => {
      const { baseUrl } = await start({ LATCHKEY_SIGNING_KEY, ...env })
      return fetch(`${baseUrl}/offline`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ request }),
      })
    }
    expect((await ask({})).status).toBe(404)
    const told: { answer: string } = await (await ask({ LATCHKEY_OFFLINE_DAYS: '30' })).json()
    const { iat, exp } = await claimsOf(told.answer, [signingKey])
    expect(exp - iat).toBe(30 * 86_400)
    await expect(start({ LATCHKEY_OFFLINE_DAYS: '30' })).rejects.toThrow(
      'LATCHKEY_OFFLINE_DAYS needs LATCHKEY_SIGNING_KEY',
    )
  },

  async LATCHKEY_DEVICES_PAGE() {
    const statusOf = async (env: Record<string, string>) => (await page('/devices', env)).status
    expect([await statusOf({}), await statusOf({ LATCHKEY_DEVICES_PAGE: '0' })]).toEqual([404, 404])
    expect(await statusOf({ LATCHKEY_DEVICES_PAGE: '1' })).toBe(200)
  },

  async LATCHKEY_THANKS_PAGE() {
    expect((await page('/thanks?key=1', {})).status).toBe(404)
    const { text } = await page('/thanks?key=1', { LATCHKEY_THANKS_PAGE: 'inkwell' })
    expect(text).toContain('inkwell://activate?license=1')
    for (const LATCHKEY_THANKS_PAGE of ['javascript', 'https', 'Inkwell', 'inkwell://', '1']) {
      await expect(start({ LATCHKEY_THANKS_PAGE })).rejects.toThrow('LATCHKEY_THANKS_PAGE must be the scheme')
    }
  },

  async LATCHKEY_SITE_NAME() {
    expect(await devicesPage({ LATCHKEY_SITE_NAME: 'Inkwell' })).toContain(
      '<title>Your devices · Inkwell</title>',
    )
  },

  async LATCHKEY_SITE_LOGO() {
    const LATCHKEY_SITE_LOGO = 'https://vendor.example/logo.png'
    expect(await devicesPage({ LATCHKEY_SITE_LOGO })).toContain(`src="${LATCHKEY_SITE_LOGO}"`)
    for (const other of ['logo.png', 'http://vendor.example/logo.png', 'data:text/html,x', 'https://']) {
      await expect(start({ LATCHKEY_SITE_LOGO: other })).rejects.toThrow(
        'LATCHKEY_SITE_LOGO must be an image',
      )
    }
  },

  async LATCHKEY_SITE_ACCENT() {
    expect(await devicesPage({ LATCHKEY_SITE_ACCENT: '#E5484D' })).toContain('--fill:#E5484D')
    for (const other of ['red', '#fff', '#e5484d;}']) {
      await expect(start({ LATCHKEY_SITE_ACCENT: other })).rejects.toThrow(
        'LATCHKEY_SITE_ACCENT must be a color',
      )
    }
  },

  async LATCHKEY_SITE_SUPPORT() {
    const LATCHKEY_SITE_SUPPORT = 'https://vendor.example/help'
    expect(await devicesPage({ LATCHKEY_SITE_SUPPORT })).toContain(`href="${LATCHKEY_SITE_SUPPORT}"`)
    await expect(start({ LATCHKEY_SITE_SUPPORT: 'javascript:alert(1)' })).rejects.toThrow(
      'LATCHKEY_SITE_SUPPORT must be a URL',
    )
  },

  async LATCHKEY_DEVICES() {
    const statusOf = async (env: Record<string, string>) => (await list((await start(env)).baseUrl)).status
    expect([
      await statusOf({ LATCHKEY_DEVICES: 'all' }),
      await statusOf({ LATCHKEY_DEVICES: 'own' }),
    ]).toEqual([200, 403])
    await expect(start({ LATCHKEY_DEVICES: 'some' })).rejects.toThrow('LATCHKEY_DEVICES must be all or own')
  },

  async LATCHKEY_UPSTREAM_TIMEOUT_MS() {
    const slow = await startService()
    slow.control.faults.inject({ fault: 'delay', delayMs: 500 })
    const path = `/licenses/${slow.demoLicense.id}/keys`
    const hasty = await start({ LATCHKEY_UPSTREAM: slow.baseUrl, LATCHKEY_UPSTREAM_TIMEOUT_MS: '100' })
    const answer = await fetch(`${hasty.baseUrl}${path}`)
    expect([answer.status, await answer.json()]).toEqual([504, { error: 'upstream-timeout' }])
    const patient = await start({ LATCHKEY_UPSTREAM: slow.baseUrl, LATCHKEY_UPSTREAM_TIMEOUT_MS: '60000' })
    expect((await fetch(`${patient.baseUrl}${path}`)).status).toBe(200)
  },

  async LATCHKEY_ALLOW_INSECURE() {
    const exposed = { LATCHKEY_UPSTREAM: 'http://commerce.invalid/v1' }
    await expect(start(exposed)).rejects.toThrow(/^(?!.*token-that-must-not-leak).*https/u)
    for (const LATCHKEY_ALLOW_INSECURE of ['1', 'true']) {
      const { baseUrl } = await start({ ...exposed, LATCHKEY_ALLOW_INSECURE })
      expect((await list(baseUrl)).status).toBe(502)
    }
    await expect(start({ ...exposed, LATCHKEY_ALLOW_INSECURE: 'yes' })).rejects.toThrow(
      'LATCHKEY_ALLOW_INSECURE must be true or false, or 1 or 0.',
    )
  },

  async LATCHKEY_BASE_PATH() {
    const { origin, baseUrl } = await start({ LATCHKEY_BASE_PATH: '/shop/licensing' })
    expect(baseUrl).toBe(`${origin}/shop/licensing`)
    expect((await list(baseUrl)).status).toBe(200)
    expect((await list(`${origin}/v1`)).status).toBe(404)
  },

  async LATCHKEY_SIGNING_KEY() {
    expect(await claims({}, { expires_at: null })).toMatchObject({ ent: true, fp: '0123456789abcdef' })
    const unsigned = await start()
    const answer = await list(unsigned.baseUrl, { 'latchkey-nonce': nonce })
    expect(answer.headers.has('latchkey-lease')).toBe(false)
  },

  async LATCHKEY_LEASE_DAYS() {
    const { iat, exp } = await claims({ LATCHKEY_LEASE_DAYS: '2' }, { expires_at: null })
    expect(exp - iat).toBe((2 * dayMs) / 1000)
    const usual = await claims({}, { expires_at: null })
    expect(usual.exp - usual.iat).toBe((14 * dayMs) / 1000)
  },

  async LATCHKEY_RENEWAL_GRACE_DAYS() {
    const endMs = Math.ceil(Date.now() / 1000) * 1000 + dayMs
    const license = { expires_at: new Date(endMs).toISOString() }
    expect((await claims({}, license)).exp).toBe((endMs + 3 * dayMs) / 1000)
    expect((await claims({ LATCHKEY_RENEWAL_GRACE_DAYS: '5' }, license)).exp).toBe((endMs + 5 * dayMs) / 1000)
    expect((await claims({ LATCHKEY_RENEWAL_GRACE_DAYS: '0' }, license)).exp).toBe(endMs / 1000)
  },

  async LATCHKEY_TRUSTED_PROXIES() {
    const limits = { LATCHKEY_LIMIT_PER_ADDRESS: '1', LATCHKEY_LIMIT_PER_LICENSE: '0' }
    const from = (forwarded: string) => ({ 'x-forwarded-for': forwarded })
    const one = await start({ ...limits, LATCHKEY_TRUSTED_PROXIES: '1' })
    expect(await statuses(one.baseUrl, 2, from('203.0.113.9'))).toEqual([200, 429])
    // The client's own entry is to the left of the proxy's.
    expect(await statuses(one.baseUrl, 1, from('198.51.100.7, 203.0.113.9'))).toEqual([429])
    expect(await statuses(one.baseUrl, 1, from('203.0.113.9, 198.51.100.7'))).toEqual([200])
    const two = await start({ ...limits, LATCHKEY_TRUSTED_PROXIES: '2' })
    expect(await statuses(two.baseUrl, 2, from('203.0.113.9, 10.0.0.1'))).toEqual([200, 429])
    expect(await statuses(two.baseUrl, 1, from('203.0.113.10, 10.0.0.1'))).toEqual([200])
    const none = await start(limits)
    expect(await statuses(none.baseUrl, 1, from('203.0.113.9'))).toEqual([200])
    expect(await statuses(none.baseUrl, 1, from('203.0.113.10'))).toEqual([429])
  },

  async LATCHKEY_LIMIT_PER_LICENSE() {
    const two = await withinOneMinute(async () => {
      const { baseUrl } = await start({ LATCHKEY_LIMIT_PER_LICENSE: '2' })
      return { baseUrl, answers: await statuses(baseUrl, 3), refusal: await list(baseUrl) }
    })
    expect(two.answers).toEqual([200, 200, 429])
    expectNextMinute(two.refusal)
    const other = emulator.control.createLicense().id
    expect((await fetch(`${two.baseUrl}/licenses/${other}/keys`)).status).toBe(200)
    // 120 is the default.
    const unlimited = await start({ LATCHKEY_LIMIT_PER_LICENSE: '0' })
    expect(await statuses(unlimited.baseUrl, 121)).not.toContain(429)
  },

  async LATCHKEY_LIMIT_PER_ADDRESS() {
    const other = emulator.control.createLicense().id
    const two = await withinOneMinute(async () => {
      const { baseUrl } = await start({ LATCHKEY_LIMIT_PER_ADDRESS: '2' })
      const answers = await statuses(baseUrl, 2)
      return { answers, refusal: await fetch(`${baseUrl}/licenses/${other}/keys`) }
    })
    expect(two.answers).toEqual([200, 200])
    expectNextMinute(two.refusal)
    // An address may ask for 20 unknown licenses a minute, unless addresses aren't counted.
    const unlimited = await start({ LATCHKEY_LIMIT_PER_ADDRESS: '0' })
    const madeUp = Array.from(
      { length: 21 },
      (_, index) => `00000000-0000-4000-8000-${100_000_000_000 + index}`,
    )
    const answers = madeUp.map(async (id) => (await fetch(`${unlimited.baseUrl}/licenses/${id}/keys`)).status)
    expect(await Promise.all(answers)).not.toContain(429)
  },

  async LATCHKEY_REDIS_URL() {
    const { exitCode, stdout, stderr } = await runGatewayCommand([], {
      LATCHKEY_UPSTREAM: emulator.baseUrl,
      LATCHKEY_ACCESS_TOKEN: accessToken,
      LATCHKEY_REDIS_URL: 'redis://:secret-half@127.0.0.1:1',
      PORT: '0',
    })
    expect([exitCode, stdout]).toEqual([1, ''])
    expect(stderr).toContain('npm install ioredis rate-limiter-flexible')
    expect(stderr).not.toContain('secret-half')
  },

  async LATCHKEY_LIMIT_PER_UPSTREAM() {
    // Without a device, its license key isn't known.
    const { id } = emulator.control.createLicense({ keys: [] })
    const statusesWith = async (limit: string) => {
      const { baseUrl } = await start({ LATCHKEY_LIMIT_PER_UPSTREAM: limit })
      const statuses = []
      for (let index = 0; index < 4; index += 1) {
        statuses.push((await fetch(`${baseUrl}/licenses/${id}/keys`)).status)
      }
      return statuses
    }
    // Half of the requests are for known license keys.
    expect(await statusesWith('4')).toEqual([200, 200, 503, 503])
    expect(await statusesWith('0')).toEqual([200, 200, 200, 200])
  },

  async LATCHKEY_METRICS_HOST() {
    const env = { HOST: '0.0.0.0', LATCHKEY_METRICS_PORT: '0' }
    const other = process.platform === 'linux' ? '127.0.0.2' : '127.0.0.1'
    const everywhere = await start({ ...env, LATCHKEY_METRICS_HOST: '0.0.0.0' })
    expect((await fetch(`http://${other}:${everywhere.metricsPort}/metrics`)).status).toBe(200)
    const loopback = await start(env)
    expect((await fetch(`http://127.0.0.1:${loopback.metricsPort}/metrics`)).status).toBe(200)
    if (other !== '127.0.0.1') {
      await expect(fetch(`http://${other}:${loopback.metricsPort}/metrics`)).rejects.toThrow()
    }
  },

  async LATCHKEY_METRICS_PORT() {
    const port = await freePort()
    const { origin, baseUrl, metricsPort } = await start({ LATCHKEY_METRICS_PORT: String(port) })
    expect(metricsPort).toBe(port)
    await list(baseUrl)
    expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).toBe(200)
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404)
    expect((await fetch(`${origin}/metrics`)).status).toBe(404)
    // If the gateway only listens on loopback, its metrics do too.
    if (process.platform === 'linux')
      await expect(fetch(`http://127.0.0.2:${port}/metrics`)).rejects.toThrow()
    expect((await start()).metricsPort).toBe(0)
  },
}

// `pnpm unit settings-take-effect -u` updates the page.
test('every setting is in this test, in --help and on the page of the gateway’s reference', async () => {
  expect(Object.keys(effects).toSorted()).toEqual(settingsTable.map(({ name }) => name).toSorted())
  for (const { name } of settingsTable) expect(environmentHelp).toContain(name)
  const variablesOf = (service: ServiceName, isRequired: boolean): string =>
    serviceSettings[service].variables
      .filter((variable) => variable.isRequired === isRequired)
      .map(({ name }) => code(name))
      .join(', ')
  const tables = {
    settings: markdownTable(
      ['variable', 'what it is', 'default'],
      settingsTable.map(({ name, description, unset }) => [code(name), description, unset]),
    ),
    services: markdownTable(
      ['service', 'required', 'optional'],
      serviceNames.map((name) => [code(name), variablesOf(name, true), variablesOf(name, false)]),
    ),
  }
  const file = path.join(import.meta.dirname, '../../../docs/gateway-reference.md')
  const page = await readFile(file, 'utf8')
  for (const table of Object.keys(tables)) expect(page).toContain(`<!-- ${table} -->`)
  await expect(withTables(page, tables)).toMatchFileSnapshot(file)
})

function code(text: string): string {
  return `\`${text}\``
}

describe.concurrent('a setting of the gateway:', () => {
  test.each(Object.entries(effects))('%s takes effect', (_name, check) => check())
})

describe.concurrent('the metrics of a gateway', () => {
  test('count requests by route and measure seconds', async () => {
    const slow = await startEmulator({ accessToken, customers: 0, discounts: 0 })
    try {
      slow.control.faults.inject({ fault: 'delay', delayMs: 300 })
      const { baseUrl, metricsPort } = await start({
        LATCHKEY_UPSTREAM: slow.baseUrl,
        LATCHKEY_METRICS_PORT: '0',
      })
      await list(baseUrl)
      await list(baseUrl)
      const answer = await fetch(`http://127.0.0.1:${metricsPort}/metrics`)
      expect(answer.headers.get('content-type')).toMatch(/^text\/plain; ?version=0\.0\.4/)
      const text = await answer.text()
      const value = (line: string) =>
        Number(
          text
            .split('\n')
            .find((each) => each.startsWith(`${line} `))
            ?.split(' ')[1],
        )
      expect(value('latchkey_gateway_requests_total{route="keys",status="200",code="none"}')).toBe(2)
      const duration = 'latchkey_gateway_request_duration_seconds'
      expect(value(`${duration}_count{route="keys"}`)).toBe(2)
      const sum = value(`${duration}_sum{route="keys"}`)
      expect(sum).toBeGreaterThan(0.59)
      // No request is this fast, because the service waits 0.3 s.
      expect(value(`${duration}_bucket{le="0.25",route="keys"}`)).toBe(0)
      expect(value(`${duration}_bucket{le="+Inf",route="keys"}`)).toBe(2)
    } finally {
      await slow.close()
    }
  })
})
