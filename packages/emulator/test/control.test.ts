import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type Emulator, faceNames, startEmulator } from '../src/index.ts'
import { at, keyIdOf, type RawRequests, rawRequests } from './raw-requests.ts'

let emulator: Emulator
let requests: RawRequests
beforeEach(async () => {
  emulator = await startEmulator()
  requests = rawRequests(emulator)
})
afterEach(() => emulator.close())

const json = { 'content-type': 'application/json' }
function control(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = json,
): Promise<Response> {
  return fetch(`${emulator.origin}/_control${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
}

describe('licenses', () => {
  it('are created with the given fields and defaults', async () => {
    const license = emulator.control.createLicense({
      activation_limit: 2,
      expires_at: '2030-01-02',
      keys: ['Old Mac'],
    })
    expect(license).toMatchObject({
      activation_limit: 2,
      expires_at: '2030-01-02T00:00:00.000000Z',
      suspended_at: null,
      status: 'ACTIVE',
      activation_usage_formatted: '1/2',
    })
    expect((await requests.keys(license.id)).body).toMatchObject({ data: [{ name: 'Old Mac' }] })
  })

  it.each(faceNames)('are returned with the text to paste, over HTTP as well (%s)', async (face) => {
    const other = await startEmulator({ face, accessToken: 'demo' })
    onTestFinished(() => other.close())
    expect(other.demoLicense.license_key).toBe(other.licenseKey)
    const response = await fetch(`${other.origin}/_control/licenses`, {
      method: 'POST',
      headers: json,
      body: '{}',
    })
    const created = await response.json()
    expect(created).toEqual(other.control.license(created.id))
    expect(created.license_key).not.toBe(other.licenseKey)
    if (created.license_key === created.id) return
    expect(() => other.control.suspend(created.license_key)).toThrow('This is its license_key: pass the id.')
  })

  it('have features only with the face of a service that has them', async () => {
    const refusal = /^features: only Keygen’s licenses have features\. /u
    expect(() => emulator.control.createLicense({ features: ['pro'] })).toThrow(refusal)
    const { id } = emulator.demoLicense
    expect(() => emulator.control.updateLicense(id, { features: ['pro'] })).toThrow(refusal)
    const response = await control('PATCH', `/licenses/${id}`, { features: ['pro'] })
    expect(response.status).toBe(422)
    const keygen = await startEmulator({ face: 'keygen' })
    const created = keygen.control.createLicense({ features: ['pro'] })
    expect(created).toMatchObject({ status: 'ACTIVE', features: ['pro'] })
    await keygen.close()
  })

  it('can be suspended, expired, reinstated and deleted', async () => {
    const { id } = emulator.demoLicense
    const keyId = keyIdOf(await requests.activate('Laptop'))
    expect(emulator.control.suspend(id).suspended_at).not.toBeNull()
    expect(Date.parse(emulator.control.expire(id).expires_at ?? '')).toBeLessThanOrEqual(Date.now())
    expect((await requests.activate('Phone')).status).toBe(422)
    emulator.control.reinstate(id)
    expect((await requests.activate('Phone')).status).toBe(200)
    emulator.control.deleteLicense(id)
    expect((await requests.validate(keyId)).status).toBe(404)
    expect(() => emulator.control.license(id)).toThrow('There is no such license.')
  })

  it('can lose a key as if another device had freed it', async () => {
    const keyId = keyIdOf(await requests.activate('Laptop'))
    emulator.control.removeKey(emulator.demoLicense.id, keyId)
    expect((await requests.keys()).body).toEqual({ data: [] })
    expect(() => emulator.control.removeKey(emulator.demoLicense.id, keyId)).toThrow('There is no such key.')
  })

  it('are returned as copies', () => {
    const { id } = emulator.demoLicense
    emulator.control.addKey(id, 'Laptop').name = 'changed'
    for (const key of emulator.control.keys(id)) key.name = 'changed'
    expect(emulator.control.keys(id)).toMatchObject([{ name: 'Laptop' }])
  })

  it('reject invalid input and name the field', () => {
    expect(() => emulator.control.createLicense({ expires_at: 'soon' })).toThrow(
      'expires_at: this is no date.',
    )
    const { id } = emulator.demoLicense
    expect(() => emulator.control.createLicense({ id })).toThrow('id: a license with this ID already exists.')
  })
})

describe('the request log', () => {
  it('logs requests and answers, with the token masked', async () => {
    const { id } = emulator.demoLicense
    await requests.activate('Laptop')
    await requests.send('GET', '/customers?page=0')
    await requests.send('GET', '/orders')
    expect(emulator.control.requests()).toMatchObject([
      {
        method: 'POST',
        path: `/licenses/${id}/activate`,
        operation: 'activate',
        headers: { authorization: 'Bearer ****', 'content-type': 'application/json' },
        body: { name: 'Laptop' },
        status: 200,
        outcome: 'answered',
      },
      { method: 'GET', path: '/customers?page=0', operation: 'customers', body: null, status: 422 },
      { path: '/orders', operation: null, status: 404 },
    ])
    expect(JSON.stringify(emulator.control.requests())).not.toContain('Bearer demo')
    emulator.control.clearRequests()
    expect(emulator.control.requests()).toEqual([])
  })

  it('keeps only the newest requests', async () => {
    const small = await startEmulator({ requestLogLimit: 3 })
    for (let page = 1; page <= 10; page += 1) await rawRequests(small).send('GET', `/customers?page=${page}`)
    expect(small.control.requests().map(({ path }) => path)).toEqual([
      '/customers?page=8',
      '/customers?page=9',
      '/customers?page=10',
    ])
    await small.close()
  })
})

it('refuses connections while paused, and then accepts them at the same address', async () => {
  await emulator.control.pause()
  expect(emulator.control.isListening).toBe(false)
  await expect(requests.keys()).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } })
  await emulator.control.resume()
  expect((await requests.keys()).status).toBe(200)
})

it('aborts running requests when it pauses', async () => {
  emulator.control.faults.inject({ fault: 'timeout' })
  const waiting = requests.keys().catch((error: unknown) => error)
  await expect.poll(() => emulator.control.requests()).toMatchObject([{ outcome: 'pending' }])
  await emulator.control.pause()
  expect(await waiting).toBeInstanceOf(TypeError)
  await expect.poll(() => emulator.control.requests()).toMatchObject([{ status: null, outcome: 'cut' }])
})

it('ends a pause automatically after the given time', async () => {
  await emulator.control.pause(100)
  await expect.poll(() => emulator.control.isListening).toBe(true)
})

it('can be reset', async () => {
  await requests.activate('Laptop')
  emulator.control.createLicense()
  emulator.control.faults.inject({ fault: 'reset' })
  emulator.control.useDialect('strict')
  emulator.control.setTotals({ customers: 3 })
  emulator.control.reset()
  expect(emulator.control.licenses()).toEqual([emulator.demoLicense])
  expect(emulator.control.faults.list()).toEqual([])
  expect(emulator.control.requests()).toEqual([])
  expect(emulator.control.dialect.name).toBe('default')
  expect(at(await requests.send('GET', '/customers'), 'meta.total')).toBe(60)
})

describe('the control interface over HTTP', () => {
  it('has the same verbs', async () => {
    const created = await control('POST', '/licenses', { activation_limit: 1 })
    expect(created.status).toBe(201)
    const { id }: { id?: string } = Object(await created.json())
    expect(await (await control('GET', '/licenses')).json()).toMatchObject({ data: [{}, { id }] })
    expect(await (await control('POST', `/licenses/${id}/suspend`)).json()).toMatchObject({ id })
    const patched = await control('PATCH', `/licenses/${id}`, { suspended_at: null, status: 'PAUSED' })
    expect(await patched.json()).toMatchObject({ suspended_at: null, status: 'PAUSED' })
    const key = await control('POST', `/licenses/${id}/keys`, { name: 'Laptop' })
    const { id: keyId }: { id?: string } = Object(await key.json())
    expect(await (await control('GET', `/licenses/${id}/keys`)).json()).toMatchObject({
      data: [{ id: keyId, name: 'Laptop' }],
    })
    expect((await control('DELETE', `/licenses/${id}/keys/${keyId}`)).status).toBe(204)
    expect((await control('DELETE', `/licenses/${id}`)).status).toBe(204)
    expect((await control('GET', `/licenses/${id}`)).status).toBe(404)
    expect((await control('POST', '/faults', { fault: 'status', status: 503 })).status).toBe(201)
    expect((await requests.keys()).status).toBe(503)
    expect(await (await control('GET', '/faults')).json()).toMatchObject({ data: [{ struck: 1 }] })
    expect((await control('DELETE', '/faults')).status).toBe(204)
    expect((await control('PUT', '/dialect', { name: 'strict' })).status).toBe(200)
    expect((await requests.activate('Laptop')).status).toBe(201)
    expect((await control('PUT', '/totals', { customers: 3 })).status).toBe(204)
    const data: unknown = await (await control('GET', '/data')).json()
    expect(data).toMatchObject({ version: 1, customers: { count: 3 } })
    expect((await control('PUT', '/data', data)).status).toBe(204)
    expect(await (await control('GET', '/requests')).json()).toMatchObject({ data: [{}, {}] })
    expect((await control('DELETE', '/requests')).status).toBe(204)
    expect((await control('POST', '/pause', { forMs: 50 })).status).toBe(202)
    await expect
      .poll(() =>
        requests
          .keys()
          .then(() => true)
          .catch(() => false),
      )
      .toBe(true)
    expect((await control('POST', '/reset')).status).toBe(204)
    expect(emulator.control.dialect.name).toBe('default')
  })

  it('describes what is wrong with a request', async () => {
    const answers = [
      await control('POST', '/licenses', { activation_limit: 'three' }),
      await control('PUT', '/dialect', { name: 'latin' }),
      await control('POST', '/faults', { fault: 'earthquake' }),
      await control('DELETE', '/faults/9'),
      await control('POST', '/licences'),
    ]
    const messages = await Promise.all(answers.map(async (answer) => [answer.status, await answer.json()]))
    expect(messages).toEqual([
      [422, { message: 'activation_limit: Invalid input: expected number, received string.' }],
      [422, { message: 'name: unknown dialect "latin"; use one of default, plain, strict.' }],
      [422, { message: expect.stringContaining('fault') }],
      [404, { message: 'There is no such fault.' }],
      [404, { message: 'There is no such control verb.' }],
    ])
  })

  it.each([
    ['a page of another origin', { ...json, origin: 'https://evil.example' }, 403],
    ['a sandboxed page', { ...json, origin: 'null' }, 403],
    ['another port of this machine', { ...json, origin: 'http://127.0.0.1:1' }, 403],
    ['a link from another site', { ...json, 'sec-fetch-site': 'cross-site' }, 403],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['a plain-text trick', { 'content-type': 'text/plain' }, 415],
  ])('refuses %s', async (_who, headers, status) => {
    expect((await control('POST', '/licenses', {}, headers)).status).toBe(status)
    expect(emulator.control.licenses()).toHaveLength(1)
  })

  it('rejects host names that merely resolve to this machine', async () => {
    const { request } = await import('node:http')
    const status = await new Promise((resolve) => {
      request(`${emulator.origin}/_control/licenses`, { headers: { host: 'evil.example' } }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      }).end()
    })
    expect(status).toBe(403)
  })
})
