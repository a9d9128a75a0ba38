import { request } from 'node:http'
import { emulatorForTest } from '@latchkey/scripts/test/side-by-side'
import { beforeEach, describe, expect, it } from 'vitest'
import { ControlError, demoLicenseId, type Emulator, faceNames, startEmulator } from '../src/index.ts'
import { at, keyIdOf, type RawRequests, rawRequests } from './raw-requests.ts'

let emulator: Emulator
let requests: RawRequests
beforeEach(async () => {
  emulator = await emulatorForTest()
  requests = rawRequests(emulator)
})

const json = { 'content-type': 'application/json' }

/** Sends a request to the control. Resolves with its status and its JSON. */
async function ask(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = json,
): Promise<{ status: number; body: { id?: string } }> {
  const answer = await fetch(`${emulator.origin}/_control${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? {} : JSON.parse(text) }
}

/** Calls a function as plain JavaScript does, where no type is checked. */
function call(method: (...inputs: never[]) => unknown, ...inputs: unknown[]): unknown {
  return Reflect.apply(method, undefined, inputs)
}

describe('startEmulator', () => {
  it.each([
    [{ noToken: true }, 'noToken is not an option: without accessToken, none is required'],
    [{ token: 'x' }, 'token is not an option: use accessToken'],
    [{ accesstoken: null }, 'accesstoken is not an option (did you mean "accessToken"?)'],
    [{ verbose: true }, 'verbose is not an option: the options are port, host, accessToken, seed, '],
    [{ dialect: 'strict' }, 'dialect must be an object, such as { refusalBody: "text" }'],
    [{ face: 'polr' }, 'face must be "commerce" or "dodo" or "keygen" or "lemon-squeezy" or "polar"'],
    [{ accessToken: '' }, 'accessToken is empty: to require no token, use null'],
    [{ seed: 'shop.json' }, 'seed must be a number or the data itself, not the name of a file'],
    [{ rateLimits: 'yes' }, 'rateLimits must be true or false'],
    ['polar', 'the argument must be an object'],
  ])('names the mistake in %j', async (options, message) => {
    const starting = call(startEmulator, options)
    await expect(starting).rejects.toBeInstanceOf(TypeError)
    await expect(starting).rejects.toThrow(`startEmulator: ${message}`)
  })

  it('uses the defaults for options set to undefined, which require no token', async () => {
    const names = ['port', 'host', 'accessToken', 'seed', 'customers', 'discounts', 'face', 'rateLimits']
    const unset = await emulatorForTest(Object.fromEntries(names.map((name) => [name, undefined])))
    expect(unset).toMatchObject({
      face: 'commerce',
      accessToken: null,
      demoLicense: { id: demoLicenseId(1) },
    })
    expect(unset.control.dialect).toEqual(emulator.control.dialect)
    expect((await fetch(`${unset.baseUrl}/customers`, { headers: json })).status).toBe(200)
  })
})

describe('licenses', () => {
  it('are created with the given fields and defaults', async () => {
    const fields = { activation_limit: 2, expires_at: '2030-01-02', keys: ['Old Mac'] }
    const license = emulator.control.createLicense(fields)
    expect(license).toMatchObject({
      activation_limit: 2,
      expires_at: '2030-01-02T00:00:00.000000Z',
      suspended_at: null,
      status: 'ACTIVE',
      activation_usage_formatted: '1/2',
    })
    expect((await requests.keys(license.id)).body).toMatchObject({ data: [{ name: 'Old Mac' }] })
  })

  it.each(faceNames)(
    'are returned with the text to paste, and with features if they have some (%s)',
    async (face) => {
      const { control, demoLicense, licenseKey } = await emulatorForTest({ face })
      expect(demoLicense.license_key).toBe(licenseKey)
      const { id, license_key } = control.createLicense()
      expect(license_key).not.toBe(licenseKey)
      if (license_key !== id) {
        expect(() => control.suspend(license_key)).toThrow('This is its license_key: pass the id.')
      }
      const features = ['pro']
      if (face === 'keygen') expect(control.createLicense({ features })).toMatchObject({ features })
      for (const act of [
        () => control.createLicense({ features }),
        () => control.updateLicense(id, { features }),
      ]) {
        if (face !== 'keygen') expect(act).toThrow(/^features: only Keygen’s licenses have features\. /u)
      }
    },
  )

  it('can be suspended, expired, reinstated and deleted', async () => {
    const { control, demoLicense } = emulator
    const { id } = demoLicense
    const keyId = keyIdOf(await requests.activate('Laptop'))
    expect(control.suspend(id).suspended_at).not.toBeNull()
    expect(Date.parse(control.expire(id).expires_at ?? '')).toBeLessThanOrEqual(Date.now())
    expect((await requests.activate('Phone')).status).toBe(422)
    control.reinstate(id)
    expect((await requests.activate('Phone')).status).toBe(200)
    control.deleteLicense(id)
    expect((await requests.validate(keyId)).status).toBe(404)
    expect(() => control.license(id)).toThrow('There is no such license.')
  })

  it('can lose a key as if another device had released it, and are returned as copies', async () => {
    const { control, demoLicense } = emulator
    const keyId = keyIdOf(await requests.activate('Laptop'))
    control.addKey(demoLicense.id, 'Phone').name = 'changed'
    for (const key of control.keys(demoLicense.id)) key.name = 'changed'
    control.removeKey(demoLicense.id, keyId)
    expect((await requests.keys()).body).toMatchObject({ data: [{ name: 'Phone' }] })
    expect(() => control.removeKey(demoLicense.id, keyId)).toThrow('There is no such key.')
  })
})

describe('invalid input in plain JavaScript', () => {
  const id = '4b11e191-a34e-424c-b391-d18776ed66b8'

  it.each([
    ['createLicense', [{ expires_at: 'soon' }], 'expires_at must be a date'],
    ['createLicense', [{ id }], 'id: a license with this ID already exists.'],
    [
      'createLicense',
      [{ owner: 3 }],
      'owner is not an option: the options are id, activation_limit, expires_at,',
    ],
    ['updateLicense', [id, { expired_at: null }], 'expired_at is not an option (did you mean "expires_at"?)'],
    ['addKey', [{ id }, 'Laptop'], 'must be the id as text, such as license.id'],
    ['removeKey', [id, { id: 'x' }], 'must be the id as text, such as license.id'],
    ['useDialect', [{ keyPaging: null }], 'dialect.keyPaging is not a field (did you mean "keysPaging"?)'],
    ['setTotals', [{ customer: 4 }], 'setTotals: customer is not an option (did you mean "customers"?)'],
    ['setTotals', [{ customers: -3 }], 'customers must be at least 0'],
    ['remove', [{ id: 1 }], 'There is no such fault.'],
    ['inject', [{ fault: 'rest' }], 'fault must be one of reset, timeout,'],
    ['inject', [{ fault: 'status', status: 99 }], 'status must be at least 200'],
    ['inject', [{ fault: 'delay', delayMs: 1, time: 1 }], 'time is not an option (did you mean "times"?)'],
    ['inject', [{ fault: 'reset', operation: 'activation' }], 'operation must be "keys" or "key" or'],
  ] as const)('%s(%j) is refused, and named', (method, inputs, message) => {
    const { faults, ...control } = emulator.control
    const act = () => call({ ...faults, ...control }[method], ...inputs)
    const before = control.dumpData()
    expect(act).toThrow(ControlError)
    expect(act).toThrow(message)
    expect(control.dumpData()).toEqual(before)
  })

  it.each(['5s', { forMs: 5000 }, -1, Number.NaN, 2 ** 31, null])(
    'a pause for %j doesn’t happen',
    async (forMs) => {
      await expect(call(emulator.control.pause, forMs)).rejects.toBeInstanceOf(ControlError)
      expect(emulator.control.isListening).toBe(true)
    },
  )
})

describe('the request log', () => {
  it('logs requests and answers, with the token masked', async () => {
    await requests.activate('Laptop')
    await requests.send('GET', '/customers?page=0')
    await requests.send('GET', '/orders')
    expect(emulator.control.requests()).toMatchObject([
      {
        method: 'POST',
        path: `/licenses/${emulator.demoLicense.id}/activate`,
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

  it.each([
    [{}, 'the header Authorization is missing'],
    [{ authorization: 'Bearer other-secret' }, 'the header Authorization has another token'],
    [{ authorization: 'other-secret' }, 'the header Authorization does not begin with "Bearer "'],
  ])('says by name why a token was refused, and not which: %j', async (headers, reason) => {
    for (const [face, path] of [
      ['commerce', '/customers'],
      ['polar', '/v1/license-keys/4b11e191-a34e-424c-b391-d18776ed66b8'],
    ] as const) {
      const lines: string[] = []
      const strict = await emulatorForTest({ face, log: (line) => lines.push(line) })
      await fetch(`${strict.baseUrl}${path}`, { headers: { ...json, ...headers } })
      await fetch(`${strict.baseUrl}${path}`, { headers: { ...json, authorization: 'Bearer demo' } })
      expect(strict.control.requests()).toMatchObject([
        { status: 401, refusedToken: reason },
        { status: 200, refusedToken: null },
      ])
      expect(lines).toEqual([`GET ${path} was refused: ${reason}.`])
    }
  })

  it('keeps only the newest requests', async () => {
    const small = await emulatorForTest({ requestLogLimit: 3 })
    for (let page = 1; page <= 10; page += 1) await rawRequests(small).send('GET', `/customers?page=${page}`)
    const paths = small.control.requests().map(({ path }) => path)
    expect(paths).toEqual([8, 9, 10].map((page) => `/customers?page=${page}`))
  })
})

describe('a pause', () => {
  it('cuts running requests, refuses connections, and then accepts them at the same address', async () => {
    emulator.control.faults.inject({ fault: 'timeout', times: 1 })
    const waiting = requests.keys().catch((error: unknown) => error)
    await expect.poll(() => emulator.control.requests()).toMatchObject([{ outcome: 'pending' }])
    await emulator.control.pause()
    expect(await waiting).toBeInstanceOf(TypeError)
    await expect.poll(() => emulator.control.requests()).toMatchObject([{ status: null, outcome: 'cut' }])
    expect(emulator.control.isListening).toBe(false)
    await expect(requests.keys()).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } })
    await emulator.control.resume()
    expect((await requests.keys()).status).toBe(200)
  })

  it('ends automatically after the given time', async () => {
    await emulator.control.pause(100)
    await expect.poll(() => emulator.control.isListening).toBe(true)
  })
})

it('can be reset', async () => {
  const { control, demoLicense } = emulator
  const { dialect } = control
  await requests.activate('Laptop')
  control.createLicense()
  control.faults.inject({ fault: 'reset' })
  control.useDialect({ refusalBody: 'empty' })
  control.setTotals({ customers: 3 })
  control.reset()
  expect(control.licenses()).toEqual([demoLicense])
  expect(control.faults.list()).toEqual([])
  expect(control.requests()).toEqual([])
  expect(control.dialect).toEqual(dialect)
  expect(at(await requests.send('GET', '/customers'), 'meta.total')).toBe(60)
})

describe('the control over HTTP', () => {
  it('has the same operations', async () => {
    const created = await ask('POST', '/licenses', { activation_limit: 1 })
    const { id } = created.body
    expect(created).toEqual({ status: 201, body: emulator.control.license(id ?? '') })
    expect((await ask('GET', '/licenses')).body).toMatchObject({ data: [{}, { id }] })
    expect((await ask('POST', `/licenses/${id}/suspend`)).body).toMatchObject({ id })
    const patch = { suspended_at: null, status: 'PAUSED' }
    expect((await ask('PATCH', `/licenses/${id}`, patch)).body).toMatchObject(patch)
    const key = await ask('POST', `/licenses/${id}/keys`, { name: 'Laptop' })
    expect((await ask('GET', `/licenses/${id}/keys`)).body).toMatchObject({ data: [key.body] })
    expect((await ask('DELETE', `/licenses/${id}/keys/${key.body.id}`)).status).toBe(204)
    expect((await ask('DELETE', `/licenses/${id}`)).status).toBe(204)
    expect((await ask('GET', `/licenses/${id}`)).status).toBe(404)
    expect((await ask('POST', '/faults', { fault: 'status', status: 503 })).status).toBe(201)
    expect((await requests.keys()).status).toBe(503)
    expect((await ask('GET', '/faults')).body).toMatchObject({ data: [{ struck: 1 }] })
    expect((await ask('DELETE', '/faults')).status).toBe(204)
    expect((await ask('PUT', '/dialect', { successStatus: { activate: 201 } })).status).toBe(200)
    expect((await requests.activate('Laptop')).status).toBe(201)
    expect((await ask('PUT', '/totals', { customers: 3 })).status).toBe(204)
    const { body: data } = await ask('GET', '/data')
    expect(data).toMatchObject({ version: 1, customers: { count: 3 } })
    expect((await ask('PUT', '/data', data)).status).toBe(204)
    expect((await ask('GET', '/requests')).body).toMatchObject({ data: [{}, {}] })
    expect((await ask('DELETE', '/requests')).status).toBe(204)
    expect((await ask('POST', '/pause', { forMs: 50 })).status).toBe(202)
    await expect.poll(() => requests.keys().then(({ status }) => status, String)).toBe(200)
    expect((await ask('POST', '/reset')).status).toBe(204)
    expect((await ask('GET', '/dialect')).body).toMatchObject({ successStatus: { activate: 200 } })
  })

  it.each([
    ['POST', '/licenses', { activation_limit: 'three' }, 422, 'activation_limit must be a number'],
    ['PUT', '/dialect', { name: 'strict' }, 422, 'dialect.name is not a field'],
    ['POST', '/faults', { fault: 'earthquake' }, 422, 'fault must be one of reset, timeout'],
    ['DELETE', '/faults/9', undefined, 404, 'There is no such fault.'],
    ['POST', '/licences', undefined, 404, 'There is no such control verb.'],
  ])('describes what is wrong with %s %s %j', async (method, path, body, status, message) => {
    const told = await ask(method, path, body)
    expect(told).toMatchObject({ status, body: { message: expect.stringContaining(message) } })
  })

  it.each([
    ['a page of another origin', { ...json, origin: 'https://evil.example' }, 403],
    ['a sandboxed page', { ...json, origin: 'null' }, 403],
    ['a link from another site', { ...json, 'sec-fetch-site': 'cross-site' }, 403],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
  ])('refuses %s', async (_who, headers, status) => {
    expect((await ask('POST', '/licenses', {}, headers)).status).toBe(status)
    expect(emulator.control.licenses()).toHaveLength(1)
  })

  it('refuses host names that merely resolve to this machine', async () => {
    const status = await new Promise((resolve) => {
      request(`${emulator.origin}/_control/licenses`, { headers: { host: 'evil.example' } }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      }).end()
    })
    expect(status).toBe(403)
  })
})
