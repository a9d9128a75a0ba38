import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type Emulator, type FaultRule, startEmulator } from '../src/index.ts'

let emulator: Emulator
beforeEach(async () => {
  emulator = await startEmulator()
})
afterEach(() => emulator.close())

function activate(init: RequestInit = {}): Promise<Response> {
  return fetch(`${emulator.baseUrl}/licenses/${emulator.demoLicense.id}/activate`, {
    method: 'POST',
    headers: { authorization: 'Bearer demo', 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Laptop' }),
    redirect: 'manual',
    ...init,
  })
}

/** Injects a fault in place of those before, and activates. */
function activateWith(...rules: FaultRule[]): Promise<Response> {
  emulator.control.faults.clear()
  for (const rule of rules) emulator.control.faults.inject(rule)
  return activate()
}

/** Starts an activation that ends when the test does. */
function startActivation(): void {
  const leaving = new AbortController()
  onTestFinished(() => leaving.abort())
  activate({ signal: leaving.signal }).catch(() => {})
}

const seats = (): number => emulator.control.keys(emulator.demoLicense.id).length
const lastRequest = () => emulator.control.requests().at(-1)

describe('a fault that replaces the answer', () => {
  const replacing: FaultRule[] = [
    { fault: 'reset' },
    { fault: 'timeout' },
    { fault: 'status', status: 503 },
    { fault: 'html' },
    { fault: 'empty' },
    { fault: 'no-content' },
    { fault: 'redirect' },
    { fault: 'huge-body', bytes: 1000 },
    { fault: 'gzip-bomb', bytes: 1000 },
  ]
  it.each(replacing)('takes a seat only if it happens after the service has acted: $fault', async (rule) => {
    for (const when of ['before-acting', 'after-acting'] as const) {
      emulator.control.clearRequests()
      emulator.control.faults.clear()
      emulator.control.faults.inject({ ...rule, when })
      startActivation()
      await expect.poll(() => lastRequest()?.faults).toEqual([rule.fault])
      expect(seats()).toBe(when === 'before-acting' ? 0 : 1)
    }
  })

  it('resets the connection, or never answers and keeps it open', async () => {
    await expect(activateWith({ fault: 'reset' })).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } })
    expect(lastRequest()).toMatchObject({ status: null, outcome: 'cut' })
    emulator.control.faults.clear()
    emulator.control.faults.inject({ fault: 'timeout' })
    startActivation()
    await expect.poll(() => lastRequest()?.faults).toEqual(['timeout'])
    expect(lastRequest()).toMatchObject({ status: null, outcome: 'pending' })
  })

  it.each([200, 407, 503])('answers %i', async (status) => {
    emulator.control.faults.inject({ fault: 'status', status })
    // `fetch` hides a 407, so this reads the status line from the socket.
    expect((await activateOverSocket()).head).toContain(`HTTP/1.1 ${status} `)
  })

  it.each([
    ['json', 'application/json', '{"message":"Sta'],
    ['text', 'text/plain; charset=utf-8', 'Status 404 on d'],
    ['html', 'text/html; charset=utf-8', '<!doctype html>'],
    ['empty', null, ''],
  ] as const)('answers a status with this body: %s', async (body, contentType, beginning) => {
    const response = await activateWith({ fault: 'status', status: 404, body })
    expect(response.headers.get('content-type')).toBe(contentType)
    expect((await response.text()).slice(0, 15)).toBe(beginning)
  })

  it('sends Retry-After in seconds or as a date', async () => {
    const limit = { fault: 'status', status: 429, retryAfterSeconds: 86_400 } as const
    expect((await activateWith(limit)).headers.get('retry-after')).toBe('86400')
    const { headers } = await activateWith({ ...limit, retryAfterForm: 'http-date' })
    const aheadMs = Date.parse(headers.get('retry-after') ?? '') - Date.parse(headers.get('date') ?? '')
    expect(Math.round(aheadMs / 60_000)).toBe(24 * 60)
  })

  it('redirects to the same origin or to another', async () => {
    const same = await activateWith({ fault: 'redirect' })
    expect(same.status).toBe(302)
    expect(new URL(same.headers.get('location') ?? '').origin).toBe(emulator.origin)
    const other = await activateWith({ fault: 'redirect', status: 307, to: 'http://elsewhere.invalid' })
    expect(other.status).toBe(307)
    expect(other.headers.get('location')).toMatch(/^http:\/\/elsewhere\.invalid\/v1\/licenses\/.*\/activate$/)
  })

  it('streams a body of the requested size', async () => {
    const text = await (await activateWith({ fault: 'huge-body', bytes: 3_000_000 })).text()
    expect(text).toHaveLength(3_000_000)
    expect(() => JSON.parse(text)).not.toThrow()
  })

  it('compresses a huge body into a small one', async () => {
    emulator.control.faults.inject({ fault: 'gzip-bomb', bytes: 10_000_000 })
    const { head, bytes } = await activateOverSocket()
    expect(bytes).toBeLessThan(50_000)
    expect(head).toContain('content-encoding: gzip')
    expect(await (await activate()).text()).toHaveLength(10_000_000)
  })

  it('generates an endless body only as far as it is read', async () => {
    const response = await activateWith({ fault: 'gzip-bomb', bytes: Number.MAX_SAFE_INTEGER })
    const reader = response.body?.getReader()
    await reader?.read()
    await reader?.cancel()
    expect((await activateWith()).status).toBe(200)
  })
})

describe('a fault that damages the answer', () => {
  it('cuts off the JSON with a matching Content-Length', async () => {
    const response = await activateWith({ fault: 'truncated' })
    const text = await response.text()
    expect(response.headers.get('content-length')).toBe(String(text.length))
    expect(() => JSON.parse(text)).toThrow(SyntaxError)
    expect(seats()).toBe(1)
  })

  it('ends the connection in the middle of the body', async () => {
    const response = await activateWith({ fault: 'cut' })
    await expect(response.text()).rejects.toThrow('terminated')
    expect(lastRequest()?.outcome).toBe('cut')
  })

  it('sends the answer slowly', async () => {
    const slow = await activateWith({ fault: 'slow-drip', chunkBytes: 100, everyMs: 1 })
    expect(await slow.json()).toMatchObject({ key: { name: 'Laptop' } })
    const slower = await activateWith({ fault: 'slow-drip', everyMs: 60_000 })
    const reader = slower.body?.getReader()
    expect((await reader?.read())?.value).toHaveLength(1)
    await reader?.cancel()
  })

  it('gives named fields another type', async () => {
    const fields = ['license.activation_limit', 'license.suspended_at', 'key.id', 'license.status']
    expect(await (await activateWith({ fault: 'wrong-types', fields })).json()).toMatchObject({
      license: { activation_limit: '3', suspended_at: { unexpected: true }, status: 42 },
      key: { id: 42 },
    })
    expect(emulator.control.license(emulator.demoLicense.id).status).toBe('ACTIVE')
  })

  it('omits named fields', async () => {
    const response = await activateWith({ fault: 'missing-fields', fields: ['license', 'key.name'] })
    expect(await response.json()).toEqual({ key: expect.not.objectContaining({ name: expect.anything() }) })
  })

  it('sets named fields, also in every item of a list', async () => {
    for (const name of ['Laptop', 'Phone']) emulator.control.addKey(emulator.demoLicense.id, name)
    emulator.control.faults.inject({ fault: 'set-fields', fields: { 'data.*.name': 'X', extra: [1] } })
    const response = await fetch(`${emulator.baseUrl}/licenses/${emulator.demoLicense.id}/keys`, {
      headers: { authorization: 'Bearer demo', 'content-type': 'application/json' },
    })
    expect(await response.json()).toMatchObject({ data: [{ name: 'X' }, { name: 'X' }], extra: [1] })
  })

  it('logs that a field didn’t exist', async () => {
    await activateWith({ fault: 'wrong-types', fields: ['license.limit'] })
    expect(lastRequest()?.faults).toEqual(['wrong-types (no such field)'])
  })

  it('sends another content type', async () => {
    const response = await activateWith({ fault: 'content-type', contentType: 'text/html' })
    expect(response.headers.get('content-type')).toBe('text/html')
    expect(await response.json()).toHaveProperty('key')
  })
})

describe('a fault that can be combined with others', () => {
  it('delays the answer before or after the service acts', async () => {
    emulator.control.faults.inject({ fault: 'delay', delayMs: 600_000, times: 1 })
    startActivation()
    await expect.poll(() => emulator.control.faults.list()).toMatchObject([{ struck: 1 }])
    emulator.control.faults.inject({ fault: 'delay', delayMs: 600_000, when: 'after-acting' })
    startActivation()
    await expect.poll(seats).toBe(1)
    expect(emulator.control.requests()).toMatchObject([{ outcome: 'pending' }, { outcome: 'pending' }])
  })

  it('lets the service act after a delay, even if the client has disconnected', async () => {
    const leaving = new AbortController()
    emulator.control.faults.inject({ fault: 'delay', delayMs: 500 })
    const activation = activate({ signal: leaving.signal })
    await expect.poll(() => lastRequest()?.outcome).toBe('pending')
    leaving.abort()
    await activation.catch(() => {})
    await expect.poll(seats).toBe(1)
  })

  it('shifts or omits the Date header, together with another fault', async () => {
    const failing = { fault: 'status', status: 500 } as const
    const shifted = await activateWith({ fault: 'date-shift', shiftMs: -86_400_000 }, failing)
    expect(shifted.status).toBe(500)
    const behindMs = Date.now() - Date.parse(shifted.headers.get('date') ?? '')
    expect(Math.round(behindMs / 3_600_000)).toBe(24)
    const undated = await activateWith({ fault: 'date-missing' }, failing)
    expect([undated.status, undated.headers.get('date')]).toEqual([500, null])
  })
})

describe('the scope of a fault', () => {
  const status = async (): Promise<number> => (await activate()).status

  it('is a given number of requests, after skipping some', async () => {
    emulator.control.faults.inject({ fault: 'status', status: 503, after: 1, times: 2 })
    expect([await status(), await status(), await status(), await status()]).toEqual([200, 503, 503, 200])
    expect(emulator.control.faults.list()).toMatchObject([{ struck: 2, passed: 1 }])
  })

  it('can be limited to named operations', async () => {
    emulator.control.faults.inject({ fault: 'status', status: 503, operation: ['validate', 'keys'] })
    expect(await status()).toBe(200)
    emulator.control.faults.inject({ fault: 'status', status: 500, operation: 'activate' })
    expect(await status()).toBe(500)
  })

  it('can be limited to one license', async () => {
    const other = emulator.control.createLicense()
    emulator.control.faults.inject({ fault: 'status', status: 503, licenseId: other.id })
    expect(await status()).toBe(200)
  })

  it('doesn’t use up a fault if another one applied first', async () => {
    emulator.control.faults.inject({ fault: 'status', status: 503, times: 1 })
    emulator.control.faults.inject({ fault: 'status', status: 500, times: 1 })
    expect([await status(), await status(), await status()]).toEqual([503, 500, 200])
  })

  it('ends when the fault is removed', async () => {
    const { id } = emulator.control.faults.inject({ fault: 'status', status: 503 })
    emulator.control.faults.remove(id)
    expect(await status()).toBe(200)
    expect(() => emulator.control.faults.remove(id)).toThrow('There is no such fault.')
  })
})

/** Sends an activation over a plain socket. Resolves with the head of the answer and its size. */
function activateOverSocket(): Promise<{ head: string; bytes: number }> {
  const { hostname, port } = new URL(emulator.baseUrl)
  const body = JSON.stringify({ name: 'Laptop' })
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(Number(port), hostname, () => {
      socket.write(
        `POST /v1/licenses/${emulator.demoLicense.id}/activate HTTP/1.1\r\nHost: ${hostname}:${port}\r\n` +
          `Connection: close\r\nAuthorization: Bearer demo\r\nContent-Type: application/json\r\n` +
          `Content-Length: ${body.length}\r\n\r\n${body}`,
      )
    })
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('end', () => {
      const answer = Buffer.concat(chunks)
      resolve({ head: answer.toString('latin1').split('\r\n\r\n')[0] ?? '', bytes: answer.length })
    })
    socket.on('error', reject)
  })
}
