import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
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
    signal: AbortSignal.timeout(2_000),
    ...init,
  })
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
  it.each(replacing)('doesn’t take the seat: $fault', async (rule) => {
    emulator.control.faults.inject(rule)
    const signal = AbortSignal.timeout(rule.fault === 'timeout' ? 100 : 2_000)
    await activate({ redirect: 'manual', signal }).catch(() => {})
    expect(seats()).toBe(0)
    expect(lastRequest()?.faults).toEqual([rule.fault])
  })
  it.each(replacing)('takes the seat if it happens after the service has acted: $fault', async (rule) => {
    emulator.control.faults.inject({ ...rule, when: 'after-acting' })
    const signal = AbortSignal.timeout(rule.fault === 'timeout' ? 100 : 2_000)
    await activate({ redirect: 'manual', signal }).catch(() => {})
    expect(seats()).toBe(1)
  })
})

it('resets the connection', async () => {
  emulator.control.faults.inject({ fault: 'reset' })
  await expect(activate()).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } })
  expect(lastRequest()).toMatchObject({ status: null, outcome: 'cut' })
})

it('never answers', async () => {
  emulator.control.faults.inject({ fault: 'timeout' })
  await expect(activate({ signal: AbortSignal.timeout(100) })).rejects.toMatchObject({ name: 'TimeoutError' })
})

it.each([401, 403, 404, 407, 408, 409, 410, 422, 429, 500, 503])('answers %i', async (status) => {
  emulator.control.faults.inject({ fault: 'status', status })
  // `fetch` hides a 407, so this reads the status line from the socket.
  const line = await statusLine()
  expect(line).toContain(`HTTP/1.1 ${status} `)
})

it('answers a status with JSON, text, an HTML page, or no body', async () => {
  const bodies: string[] = []
  for (const body of ['json', 'text', 'html', 'empty'] as const) {
    emulator.control.faults.clear()
    emulator.control.faults.inject({ fault: 'status', status: 404, body })
    const response = await activate()
    bodies.push(`${response.headers.get('content-type')} ${(await response.text()).slice(0, 15)}`)
  }
  expect(bodies).toEqual([
    'application/json {"message":"Sta',
    'text/plain; charset=utf-8 Status 404 on d',
    'text/html; charset=utf-8 <!doctype html>',
    'null ',
  ])
})

it('sends Retry-After in seconds or as a date', async () => {
  emulator.control.faults.inject({ fault: 'status', status: 429, retryAfterSeconds: 86_400, times: 1 })
  expect((await activate()).headers.get('retry-after')).toBe('86400')
  emulator.control.faults.inject({
    fault: 'status',
    status: 429,
    retryAfterSeconds: 86_400,
    retryAfterForm: 'http-date',
  })
  const response = await activate()
  const aheadMs =
    Date.parse(response.headers.get('retry-after') ?? '') - Date.parse(response.headers.get('date') ?? '')
  expect(Math.round(aheadMs / 60_000)).toBe(24 * 60)
})

it('answers with an HTML page and status 200', async () => {
  emulator.control.faults.inject({ fault: 'html' })
  const response = await activate()
  expect(response.status).toBe(200)
  expect(await response.text()).toContain('<h1>Welcome</h1>')
})

it('redirects to the same origin or to another', async () => {
  emulator.control.faults.inject({ fault: 'redirect', times: 1 })
  const same = await activate({ redirect: 'manual' })
  expect(same.status).toBe(302)
  expect(new URL(same.headers.get('location') ?? '').origin).toBe(emulator.origin)
  emulator.control.faults.inject({ fault: 'redirect', status: 307, to: 'http://elsewhere.invalid' })
  const other = await activate({ redirect: 'manual' })
  expect(other.status).toBe(307)
  expect(other.headers.get('location')).toMatch(/^http:\/\/elsewhere\.invalid\/v1\/licenses\/.*\/activate$/)
})

it('streams a body of the requested size', async () => {
  emulator.control.faults.inject({ fault: 'huge-body', bytes: 3_000_000 })
  const text = await (await activate()).text()
  expect(text).toHaveLength(3_000_000)
  expect(() => JSON.parse(text)).not.toThrow()
})

it('compresses a huge body into a small one', async () => {
  emulator.control.faults.inject({ fault: 'gzip-bomb', bytes: 10_000_000 })
  let received = 0
  const socket = await request((chunk) => {
    received += chunk.length
  })
  expect(received).toBeLessThan(50_000)
  expect(socket).toContain('content-encoding: gzip')
  expect(await (await activate()).text()).toHaveLength(10_000_000)
})

it('generates an endless body only as far as it is read', async () => {
  emulator.control.faults.inject({ fault: 'gzip-bomb', bytes: Number.MAX_SAFE_INTEGER })
  const response = await activate()
  const reader = response.body?.getReader()
  await reader?.read()
  await reader?.cancel()
  emulator.control.faults.clear()
  expect((await activate()).status).toBe(200)
})

describe('a fault that damages the answer', () => {
  it('cuts off the JSON with a matching Content-Length', async () => {
    emulator.control.faults.inject({ fault: 'truncated' })
    const response = await activate()
    const text = await response.text()
    expect(response.headers.get('content-length')).toBe(String(text.length))
    expect(() => JSON.parse(text)).toThrow(SyntaxError)
    expect(seats()).toBe(1)
  })

  it('ends the connection in the middle of the body', async () => {
    emulator.control.faults.inject({ fault: 'cut' })
    const response = await activate()
    await expect(response.text()).rejects.toThrow('terminated')
    expect(lastRequest()?.outcome).toBe('cut')
  })

  it('sends the answer slowly', async () => {
    emulator.control.faults.inject({ fault: 'slow-drip', chunkBytes: 100, everyMs: 1 })
    expect(await (await activate()).json()).toMatchObject({ key: { name: 'Laptop' } })
    emulator.control.faults.clear()
    emulator.control.faults.inject({ fault: 'slow-drip' })
    const response = await activate({ signal: AbortSignal.timeout(2_000) })
    await expect(response.text()).rejects.toMatchObject({ name: 'TimeoutError' })
  })

  it('gives named fields another type', async () => {
    const fields = ['license.activation_limit', 'license.suspended_at', 'key.id', 'license.status']
    emulator.control.faults.inject({ fault: 'wrong-types', fields })
    expect(await (await activate()).json()).toMatchObject({
      license: { activation_limit: '3', suspended_at: { unexpected: true }, status: 42 },
      key: { id: 42 },
    })
    expect(emulator.control.license(emulator.demoLicense.id).status).toBe('ACTIVE')
  })

  it('omits named fields', async () => {
    emulator.control.faults.inject({ fault: 'missing-fields', fields: ['license', 'key.name'] })
    const body = await (await activate()).json()
    expect(body).toEqual({ key: expect.not.objectContaining({ name: expect.anything() }) })
  })

  it('sets named fields, also in every item of a list', async () => {
    await activate()
    await activate()
    emulator.control.faults.inject({ fault: 'set-fields', fields: { 'data.*.name': 'X', extra: [1] } })
    const response = await fetch(`${emulator.baseUrl}/licenses/${emulator.demoLicense.id}/keys`, {
      headers: { authorization: 'Bearer demo', 'content-type': 'application/json' },
    })
    expect(await response.json()).toMatchObject({ data: [{ name: 'X' }, { name: 'X' }], extra: [1] })
  })

  it('logs that a field didn’t exist', async () => {
    emulator.control.faults.inject({ fault: 'wrong-types', fields: ['license.limit'] })
    await activate()
    expect(lastRequest()?.faults).toEqual(['wrong-types (no such field)'])
  })

  it('sends another content type', async () => {
    emulator.control.faults.inject({ fault: 'content-type', contentType: 'text/html' })
    const response = await activate()
    expect(response.headers.get('content-type')).toBe('text/html')
    expect(await response.json()).toHaveProperty('key')
  })
})

describe('a fault that can be combined with others', () => {
  it('delays the request before or after the service acts', async () => {
    const leaving = new AbortController()
    const { signal } = leaving
    emulator.control.faults.inject({ fault: 'delay', delayMs: 2_000, times: 1 })
    const first = activate({ signal })
    await expect.poll(() => lastRequest()?.outcome).toBe('pending')
    expect(seats()).toBe(0)
    emulator.control.faults.clear()
    emulator.control.faults.inject({ fault: 'delay', delayMs: 60_000, when: 'after-acting' })
    const second = activate({ signal })
    await expect.poll(seats).toBe(1)
    leaving.abort()
    await expect(first).rejects.toThrow()
    await expect(second).rejects.toThrow()
    // The first request's client has disconnected, but the service doesn't know that.
    await expect.poll(seats).toBe(2)
  })

  it('shifts or omits the Date header, together with another fault', async () => {
    emulator.control.faults.inject({ fault: 'date-shift', shiftMs: -86_400_000, times: 1 })
    emulator.control.faults.inject({ fault: 'status', status: 500 })
    const shifted = await activate()
    expect(shifted.status).toBe(500)
    const behindMs = Date.now() - Date.parse(shifted.headers.get('date') ?? '')
    expect(Math.round(behindMs / 3_600_000)).toBe(24)
    emulator.control.faults.inject({ fault: 'date-missing' })
    expect((await activate()).headers.get('date')).toBeNull()
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

  it('rejects an invalid rule', () => {
    const rule = { fault: 'status', status: 99 } as const
    expect(() => emulator.control.faults.inject(rule)).toThrow(/^status: /)
  })
})

function statusLine(): Promise<string> {
  return request(() => {})
}

/** Sends an activation over a plain socket. Resolves with the head of the answer. */
function request(onData: (chunk: Buffer) => void): Promise<string> {
  const { hostname, port } = new URL(emulator.baseUrl)
  const body = JSON.stringify({ name: 'Laptop' })
  return new Promise((resolve, reject) => {
    let head = ''
    const socket = connect(Number(port), hostname, () => {
      socket.write(
        `POST /v1/licenses/${emulator.demoLicense.id}/activate HTTP/1.1\r\nHost: ${hostname}:${port}\r\n` +
          `Connection: close\r\nAuthorization: Bearer demo\r\nContent-Type: application/json\r\n` +
          `Content-Length: ${body.length}\r\n\r\n${body}`,
      )
    })
    socket.on('data', (chunk) => {
      head ||= chunk.toString('latin1').split('\r\n\r\n')[0] ?? ''
      onData(chunk)
    })
    socket.on('end', () => resolve(head))
    socket.on('error', reject)
  })
}
