import { serviceNames } from '@latchkey/services/environment'
import { findOfflineText, releaseMarkOf, writeOfflineText } from '@latchkey/services/offline'
import { describe, expect, test } from 'vitest'
import { answered, type Reply } from '../../src/http/reply.ts'
import { generateSigningKey, type SigningKey } from '../../src/index.ts'
import { createLicenseOutcomes } from '../../src/licenses/license-devices.ts'
import { accessToken } from '../gateway-fixture.ts'
import { gatewayOf } from '../services/face-fixture.ts'
import { newReleasingDevice, signingKey, startOffline } from './offline-fixture.ts'

/** A computer that was activated without internet, and its release code. */
async function deactivated(face: Parameters<typeof startOffline>[0] = 'commerce') {
  const offline = await startOffline(face)
  const { releaseKey, codeFor } = newReleasingDevice()
  const { body } = await offline.send({ releaseKey })
  const code = await codeFor(body.answer)
  const ask = (request: string, action?: string) => offline.ask('POST', '/offline', { request, action })
  return { ...offline, releaseKey, codeFor, code, ask }
}

test.each(['commerce', ...serviceNames] as const)(
  'a release code frees its seat once, and reports when it is used again (%s)',
  async (face) => {
    const { ask, code, emulator, licenseId, licenseKey, lines } = await deactivated(face)
    emulator.control.addKey(licenseId, 'Another computer')
    expect(await ask(code)).toMatchObject({ status: 200, body: { released: true, device: 'Ada’s laptop' } })
    expect(emulator.control.keys(licenseId)).toMatchObject([{ name: 'Another computer' }])
    expect(await ask(code)).toMatchObject({ status: 200, body: { released: false } })
    expect(emulator.control.keys(licenseId)).toHaveLength(1)
    expect(JSON.stringify(lines)).not.toContain(licenseKey)
  },
)

test('the page asks first, and shows whose seat it is and when it was deactivated', async () => {
  const { ask, code, emulator, licenseId, licenseKey } = await deactivated()
  const { body } = await ask(code, 'show')
  expect(body).toEqual({
    device: 'Ada’s laptop',
    app: 'com.example.notes',
    license: `${licenseKey.slice(0, 4)}••••${licenseKey.slice(-4)}`,
    deactivatedAt: expect.stringMatching(/^20\d\d-/u),
  })
  expect(emulator.control.keys(licenseId)).toHaveLength(1)
  expect(await ask(code, 'free')).toMatchObject({ body: { released: true } })
})

test('a code is still good after the vendor changed keys, until the old key is gone', async () => {
  const { emulator, code, licenseId } = await deactivated()
  const newKey = await generateSigningKey()
  const freeWith = async (keys: readonly SigningKey[]) => {
    const upstream = { baseUrl: emulator.baseUrl, accessToken }
    const gateway = gatewayOf(upstream, { signing: { keys }, offline: { days: 365 } })
    return (await gateway.ask('POST', '/offline', { request: code })).body
  }
  expect(await freeWith([newKey])).toEqual({ error: 'release-code-unknown-key' })
  expect(emulator.control.keys(licenseId)).toHaveLength(1)
  expect(await freeWith([newKey, signingKey])).toMatchObject({ released: true })
})

test.each<[string, Reply]>([
  [
    'a list that lacks an item it couldn’t read',
    { ...answered({ data: [] }), list: { activations: [], isWhole: false, unreadableCount: 1 } },
  ],
  ['the empty list of a license that the rule refuses', { ...answered({ data: [] }), remark: 'not-allowed' }],
])('%s is not whole, so it doesn’t prove that a seat is free', async (_what, reply) => {
  const other = (): never => {
    throw new Error('Only the list is asked for.')
  }
  const operations = {
    keys: async () => reply,
    key: other,
    activate: other,
    validate: other,
    deactivate: other,
  }
  const listed = await createLicenseOutcomes(operations).listActivations({ licenseKey: 'KEY-1' })
  expect(listed).toMatchObject({ kind: 'answer', value: { isWhole: false } })
})

describe('a code that can’t be used frees nothing, and says why', () => {
  const changed = (code: string, change: (payload: string) => string): string => {
    const found = findOfflineText('release', code)
    if (!found.ok) throw new Error(found.fault)
    return writeOfflineText('release', change(found.payload))
  }
  test.each([
    ['half of it', (code: string) => code.slice(0, 200), 'release-code-torn'],
    ['one of a later version', (code: string) => code.replace('-1.', '-2.'), 'offline-request-newer'],
    [
      'one with another time',
      (code: string) => changed(code, (payload) => payload.replace(/\.\d{5}/u, '.11111')),
      'release-code-edited',
    ],
    [
      'another vendor’s',
      (code: string) => changed(code, (payload) => `otherkey${payload.slice(8)}`),
      'release-code-unknown-key',
    ],
  ])('%s', async (_what, change, error) => {
    const { ask, code, emulator, licenseId } = await deactivated()
    for (const action of [undefined, 'show']) {
      expect(await ask(change(code), action)).toMatchObject({ status: 400, body: { error } })
    }
    expect(emulator.control.keys(licenseId)).toHaveLength(1)
  })

  test('a release code in place of a request, and the other way around', async () => {
    const { ask, code, step, emulator, licenseId } = await deactivated()
    for (const action of ['activate', 'devices', 'release']) {
      expect(await ask(code, action)).toMatchObject({ status: 400, body: { error: 'no-offline-request' } })
    }
    expect(await step({ action: 'free' })).toMatchObject({ status: 400, body: { error: 'invalid-body' } })
    expect(emulator.control.keys(licenseId)).toHaveLength(1)
  })

  test('while the service is down', async () => {
    const { ask, code, emulator, licenseId } = await deactivated()
    emulator.control.faults.inject({ fault: 'status', status: 503 })
    expect(await ask(code)).toMatchObject({ status: 503, body: { error: 'upstream-busy' } })
    expect(emulator.control.keys(licenseId)).toHaveLength(1)
  })

  test('a proxy that finds nothing proves nothing', async () => {
    const { ask, code, emulator, licenseId } = await deactivated()
    emulator.control.faults.inject({ fault: 'status', status: 404, operation: 'deactivate' })
    const told = await ask(code)
    expect(told.status).toBeGreaterThanOrEqual(400)
    expect(emulator.control.keys(licenseId)).toHaveLength(1)
  })
})

/** A commerce service that still lists the keys that it has deactivated, and a computer that left such a key. */
async function leftBehind() {
  const gone: object[] = []
  const offline = await startOffline('commerce', {
    async fetch(request: Request, init?: RequestInit) {
      const response = await fetch(request, init)
      if (request.method !== 'GET' || !request.url.endsWith('/keys')) return response
      const list = await response.json()
      const date = response.headers.get('date') ?? ''
      return Response.json({ ...list, data: [...gone, ...list.data] }, { headers: { date } })
    },
  })
  const { emulator, licenseId } = offline
  const seats = () => emulator.control.keys(licenseId)
  const { releaseKey, codeFor } = newReleasingDevice()
  const { body } = await offline.send({ releaseKey })
  const [key] = seats()
  if (key === undefined) throw new Error('No seat was taken.')
  const request = { releaseKey, nonce: 'n1nce-n1nce-n1nce-n1nce', leaves: [await releaseMarkOf(key.id)] }
  return {
    ...offline,
    seats,
    code: await codeFor(body.answer),
    /** Asks for the computer's next activation. */
    activate: () => offline.send(request),
    lists: () => void gone.push(key),
    key,
  }
}

test.each(['release code', 'support'] as const)(
  'a computer is activated again after its seat was freed by %s',
  async (by) => {
    const { ask, activate, lists, seats, code, key, emulator, licenseId } = await leftBehind()
    if (by === 'support') emulator.control.removeKey(licenseId, key.id)
    else expect((await ask('POST', '/offline', { request: code })).body).toMatchObject({ released: true })
    lists()
    for (let request = 0; request < 2; request += 1) {
      expect(await activate()).toMatchObject({ status: 200, body: { answer: expect.any(String) } })
      expect(seats()).toHaveLength(1)
    }
  },
)

test('a seat that can’t be freed for a moment doesn’t become a second one', async () => {
  const { activate, seats, emulator, key } = await leftBehind()
  emulator.control.faults.inject({ fault: 'status', status: 404, operation: 'deactivate' })
  expect(await activate()).toMatchObject({ status: 502 })
  expect(seats()).toMatchObject([{ id: key.id }])
  emulator.control.faults.clear()
  expect((await activate()).status).toBe(200)
  expect(seats()).toHaveLength(1)
  expect(seats()[0]?.id).not.toBe(key.id)
})
