import { type IncomingHttpHeaders, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { emulatorForTest } from '@latchkey/scripts/test/side-by-side'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import type { Emulator, FaultRule } from '../src/index.ts'

let emulator: Emulator
beforeEach(async () => {
  emulator = await emulatorForTest({ accessToken: null })
})

const headers = { 'content-type': 'application/json' }

/** The address and the options of an activation. */
function activation(): [string, RequestInit] {
  const url = `${emulator.baseUrl}/licenses/${emulator.demoLicense.id}/activate`
  return [url, { method: 'POST', headers, body: '{"name":"Laptop"}' }]
}

/** Activates, and reads the answer as it was sent: not decompressed, without following a redirect. */
function activate() {
  const [url, { method, body }] = activation()
  return new Promise<{ status?: number; headers: IncomingHttpHeaders; bytes: Buffer; text: string }>(
    (resolve, reject) => {
      request(url, { method, headers }, (answer) => {
        buffer(answer).then((bytes) => {
          const { statusCode: status = 0, headers: sent } = answer
          resolve({ status, headers: sent, bytes, text: bytes.toString() })
        }, reject)
      })
        .on('error', reject)
        .end(body)
    },
  )
}

/** Injects faults in place of those before. */
function inject(...rules: FaultRule[]): void {
  emulator.control.faults.clear()
  for (const rule of rules) emulator.control.faults.inject(rule)
}

/** Injects faults in place of those before, and activates. */
function activateWith(...rules: FaultRule[]) {
  inject(...rules)
  return activate()
}

/** Starts an activation that ends when the test does. */
function startActivation(): AbortController {
  const leaving = new AbortController()
  onTestFinished(() => leaving.abort())
  const [url, init] = activation()
  fetch(url, { ...init, redirect: 'manual', signal: leaving.signal }).catch(() => {})
  return leaving
}

const seats = (): number => emulator.control.keys(emulator.demoLicense.id).length
const lastRequest = () => emulator.control.requests().at(-1)

const limit = { fault: 'status', status: 429, retryAfterSeconds: 86_400 } as const

it.each<[FaultRule, answer: RegExp]>([
  [{ fault: 'status', status: 200 }, /^200 /u],
  [{ fault: 'status', status: 407 }, /^407 /u],
  [{ fault: 'status', status: 404, body: 'json' }, /^404 application\/json \{"message":"Status 404/u],
  [{ fault: 'status', status: 404, body: 'text' }, /^404 text\/plain; charset=utf-8 Status 404/u],
  [{ fault: 'status', status: 404, body: 'html' }, /^404 text\/html; charset=utf-8 <!doctype html>/u],
  [{ fault: 'status', status: 404, body: 'empty' }, /^404 - $/u],
  [{ fault: 'html' }, /^200 text\/html; charset=utf-8 <!doctype html>/u],
  [{ fault: 'empty' }, /^200 application\/json $/u],
  [{ fault: 'no-content' }, /^204 - $/u],
  [{ fault: 'content-type', contentType: 'text/html' }, /^200 text\/html \{"license":/u],
  [{ fault: 'slow-drip', chunkBytes: 100, everyMs: 1 }, /^200 application\/json \{"license":.*\}\}$/u],
  [{ fault: 'wrong-types', fields: ['license.activation_limit'] }, /"activation_limit":"3"/u],
  [{ fault: 'wrong-types', fields: ['license.suspended_at'] }, /"suspended_at":\{"unexpected":true\}/u],
  [{ fault: 'wrong-types', fields: ['license.status', 'key.id'] }, /"status":42.*"key":\{"id":42/u],
  [{ fault: 'missing-fields', fields: ['license', 'key.name'] }, /^200 \S+ \{"key":\{(?!.*"name")/u],
  [{ fault: 'set-fields', fields: { 'key.name': 'X', extra: [1] } }, /"name":"X".*"extra":\[1\]\}$/u],
])('%j changes the answer, and not the data', async (rule, answer) => {
  const { status, headers: sent, text } = await activateWith(rule)
  expect(`${status} ${sent['content-type'] ?? '-'} ${text}`).toMatch(answer)
  expect(emulator.control.license(emulator.demoLicense.id).status).toBe('ACTIVE')
})

it('changes a field in every item of a list', async () => {
  for (const name of ['Laptop', 'Phone']) emulator.control.addKey(emulator.demoLicense.id, name)
  emulator.control.faults.inject({ fault: 'set-fields', fields: { 'data.*.name': 'X' } })
  const answer = await fetch(`${emulator.baseUrl}/licenses/${emulator.demoLicense.id}/keys`, { headers })
  expect(await answer.json()).toMatchObject({ data: [{ name: 'X' }, { name: 'X' }] })
})

it('logs that a field didn’t exist', async () => {
  await activateWith({ fault: 'wrong-types', fields: ['license.limit'] })
  expect(lastRequest()?.faults).toEqual(['wrong-types (no such field)'])
})

it.each<FaultRule>([
  { fault: 'reset' },
  { fault: 'timeout' },
  { fault: 'status', status: 503 },
  { fault: 'html' },
  { fault: 'empty' },
  { fault: 'no-content' },
  { fault: 'redirect' },
  { fault: 'huge-body', bytes: 1000 },
  { fault: 'gzip-bomb', bytes: 1000 },
])('an answer that is replaced takes a seat only after the service has acted: $fault', async (rule) => {
  for (const when of ['before-acting', 'after-acting'] as const) {
    emulator.control.clearRequests()
    inject({ ...rule, when })
    startActivation()
    await expect.poll(() => lastRequest()?.faults).toEqual([rule.fault])
    expect(seats()).toBe(when === 'before-acting' ? 0 : 1)
  }
})

it('resets a connection, cuts it in the middle of the body, or never answers', async () => {
  await expect(activateWith({ fault: 'reset' })).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect(lastRequest()).toMatchObject({ status: null, outcome: 'cut' })
  await expect(activateWith({ fault: 'cut' })).rejects.toThrow('aborted')
  expect(lastRequest()?.outcome).toBe('cut')
  inject({ fault: 'timeout' })
  startActivation()
  await expect.poll(() => lastRequest()?.faults).toEqual(['timeout'])
  expect(lastRequest()).toMatchObject({ status: null, outcome: 'pending' })
})

it('cuts off the JSON with a matching Content-Length', async () => {
  const { headers: sent, bytes, text } = await activateWith({ fault: 'truncated' })
  expect(sent['content-length']).toBe(String(bytes.length))
  expect(() => JSON.parse(text)).toThrow(SyntaxError)
  expect(seats()).toBe(1)
})

it('sends Retry-After in seconds or as a date', async () => {
  expect((await activateWith(limit)).headers).toMatchObject({ 'retry-after': '86400' })
  const { headers: sent } = await activateWith({ ...limit, retryAfterForm: 'http-date' })
  const aheadMs = Date.parse(String(sent['retry-after'])) - Date.parse(String(sent['date']))
  expect(Math.round(aheadMs / 60_000)).toBe(24 * 60)
})

it.each<[object, status: number, location: RegExp]>([
  [{}, 302, /^http:\/\/127\.0\.0\.1:\d+\/v1\/licenses\/.*\/activate\?redirected=1$/u],
  [{ status: 307, to: 'http://elsewhere.invalid' }, 307, /^http:\/\/elsewhere\.invalid\/v1\/.*\/activate$/u],
])('redirects: %j', async (fields, status, location) => {
  const answer = await activateWith({ fault: 'redirect', ...fields })
  expect(answer).toMatchObject({ status, headers: { location: expect.stringMatching(location) } })
})

it('sends a huge body, also compressed, and only as far as it is read', async () => {
  const { text } = await activateWith({ fault: 'huge-body', bytes: 3_000_000 })
  expect(text).toHaveLength(3_000_000)
  expect(() => JSON.parse(text)).not.toThrow()
  const bomb = await activateWith({ fault: 'gzip-bomb', bytes: 10_000_000 })
  expect(bomb.headers).toMatchObject({ 'content-encoding': 'gzip' })
  expect(bomb.bytes.length).toBeLessThan(50_000)
  expect(gunzipSync(bomb.bytes)).toHaveLength(10_000_000)
  inject({ fault: 'gzip-bomb', bytes: Number.MAX_SAFE_INTEGER })
  const reader = (await fetch(...activation())).body?.getReader()
  await reader?.read()
  await reader?.cancel()
  expect((await activateWith()).status).toBe(200)
})

it('sends the answer byte by byte', async () => {
  inject({ fault: 'slow-drip', everyMs: 60_000 })
  const reader = (await fetch(...activation())).body?.getReader()
  expect((await reader?.read())?.value).toHaveLength(1)
  await reader?.cancel()
})

it('delays the answer before or after the service acts', async () => {
  inject({ fault: 'delay', delayMs: 600_000, times: 1 })
  startActivation()
  await expect.poll(() => emulator.control.faults.list()).toMatchObject([{ struck: 1 }])
  emulator.control.faults.inject({ fault: 'delay', delayMs: 600_000, when: 'after-acting' })
  startActivation()
  await expect.poll(seats).toBe(1)
  expect(emulator.control.requests()).toMatchObject([{ outcome: 'pending' }, { outcome: 'pending' }])
})

it('lets the service act after a delay, even if the client has disconnected', async () => {
  inject({ fault: 'delay', delayMs: 500 })
  const leaving = startActivation()
  await expect.poll(() => lastRequest()?.outcome).toBe('pending')
  leaving.abort()
  await expect.poll(seats).toBe(1)
})

it('shifts or omits the Date header, together with another fault', async () => {
  const failed = { fault: 'status', status: 500 } as const
  const shifted = await activateWith({ fault: 'date-shift', shiftMs: -86_400_000 }, failed)
  const behindMs = Date.now() - Date.parse(String(shifted.headers['date']))
  expect([shifted.status, Math.round(behindMs / 3_600_000)]).toEqual([500, 24])
  const undated = await activateWith({ fault: 'date-missing' }, failed)
  expect([undated.status, undated.headers['date']]).toEqual([500, undefined])
})

const [busy, failing] = [{ fault: 'status', status: 503 } as const, { fault: 'status', status: 500 } as const]
const other = '00000000-0000-4000-8000-000000000000'

it.each<[what: string, rules: FaultRule[], statuses: number[]]>([
  ['a number of requests, after some', [{ ...busy, after: 1, times: 2 }], [200, 503, 503, 200]],
  ['named operations', [{ ...busy, operation: ['validate', 'keys'] }], [200]],
  ['one operation', [{ ...busy, operation: 'activate' }], [503]],
  ['one license', [{ ...busy, licenseId: other }], [200]],
  [
    'once each, one after the other',
    [
      { ...busy, times: 1 },
      { ...failing, times: 1 },
    ],
    [503, 500, 200],
  ],
])('applies to %s', async (_what, rules, statuses) => {
  inject(...rules)
  for (const status of statuses) expect((await activate()).status).toBe(status)
})

it('counts the requests, and ends when it is removed', async () => {
  const { control } = emulator
  const { id } = control.faults.inject({ ...busy, after: 1 })
  expect([(await activate()).status, (await activate()).status]).toEqual([200, 503])
  expect(control.faults.list()).toMatchObject([{ struck: 1, passed: 1 }])
  control.faults.remove(id)
  expect((await activate()).status).toBe(200)
  expect(() => control.faults.remove(id)).toThrow('There is no such fault.')
})
