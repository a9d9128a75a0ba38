import { generateKeyPairSync, sign } from 'node:crypto'
import {
  findOfflineText,
  freeReleasedSeat,
  offlineClaimsOf,
  type ReleaseTicketKey,
  readOfflineRequest,
  readReleaseCode,
  releaseStatement,
  wrapOfflineText,
  writeOfflineRequest,
  writeOfflineText,
  writeReleaseCode,
} from '@latchkey/services/offline'
import { describe, expect, test } from 'vitest'
import { answer, nothingTold, refusal, unavailable } from '../../src/license-service.ts'

const nowMs = Date.parse('2026-11-22T12:00:00Z')
const keyOf = (id: string): ReleaseTicketKey => ({
  id,
  d: String(generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }).d),
})
const vendor = keyOf('vendor-key-of-43-characters')

/** A device that keeps a secret, and the public part that its request contains. */
function newDevice() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const signed = (statement: string) => sign(null, Buffer.from(statement), privateKey).toString('base64url')
  return { releaseKey: String(publicKey.export({ format: 'jwk' }).x), signed }
}

const device = newDevice()
const request = {
  app: 'com.example.notes',
  deviceName: 'Ada’s laptop',
  fingerprint: '0123456789abcdef',
  nonce: 'n0nce-n0nce-n0nce-n0nce',
  licenseKey: 'KEY-1',
  trustedKeys: [],
  releaseKey: device.releaseKey,
}

async function ticketFor(own: Partial<typeof request> = {}, signedBy = vendor) {
  const facts = { request: { ...request, ...own }, license: nothingTold, activationId: 'a1', days: 30, nowMs }
  return (await offlineClaimsOf({ ...facts, signedBy })).rel ?? ''
}

async function codeOf(ticket: string, { signed } = device, atMs = nowMs) {
  const statement = releaseStatement(ticket, atMs)
  return writeReleaseCode(statement, signed(statement))
}

test('a code says which activation it frees, and when the device was deactivated', async () => {
  const code = await codeOf(await ticketFor())
  const { releaseKey, nonce, licenseKey, deviceName, app, fingerprint } = request
  const release = { releaseKey, nonce, licenseKey, deviceName, app, fingerprint, activationId: 'a1' }
  const expected = { ok: true, release: { ...release, deactivatedAtMs: nowMs } }
  expect(await readReleaseCode(code, [keyOf('an-older-key'), vendor])).toEqual(expected)
  const inAnEmail = `Hello,\n${wrapOfflineText(code).replace(/^/gmu, '> ')}\nAda`
  expect(await readReleaseCode(inAnEmail, [vendor])).toEqual(expected)
})

test('neither the answer nor the code shows the license key', async () => {
  const ticket = await ticketFor()
  const [, sealed = ''] = ticket.split('.')
  expect(Buffer.from(sealed, 'base64url').toString('latin1')).not.toContain('KEY-1')
  // The same facts never look the same.
  expect(await ticketFor()).not.toBe(ticket)
})

test('an answer for which no key is given has no ticket', async () => {
  const facts = { request, license: nothingTold, activationId: 'a1', days: 30, nowMs }
  expect(await offlineClaimsOf({ ...facts, signedBy: vendor })).toHaveProperty('rel')
  expect(await offlineClaimsOf(facts)).not.toHaveProperty('rel')
})

test('a request is read as it was written, and a broken release key is refused', () => {
  expect(readOfflineRequest(writeOfflineRequest(request))).toEqual({ ok: true, request })
  const broken = writeOfflineRequest({ ...request, releaseKey: 'no key' })
  expect(readOfflineRequest(broken)).toEqual({ ok: false, fault: 'torn' })
})

test('an unusually long license key makes no ticket that would be too long for the app', async () => {
  expect(await ticketFor({ licenseKey: 'K'.repeat(2_000) })).toBe('')
})

describe('a code that can’t be used says why', () => {
  const payloadOf = (code: string): string => {
    const found = findOfflineText('release', code)
    if (!found.ok) throw new Error(found.fault)
    return found.payload
  }
  const changed = (code: string, change: (payload: string) => string): string =>
    writeOfflineText('release', change(payloadOf(code)))

  test.each<[string, string, (code: string) => string | Promise<string>]>([
    ['any other text', 'nothing', () => 'https://example.com/menu'],
    ['a request', 'other-kind', () => writeOfflineRequest(request)],
    ['half of it', 'torn', (code) => code.slice(0, 200)],
    ['a later version', 'newer', (code) => code.replace('-1.', '-2.')],
    ['a huge text', 'too-long', () => 'a'.repeat(100_000)],
    ['another time', 'edited', (code) => changed(code, (payload) => payload.replace(/\.\d+\./u, '.1.'))],
    ['no signature', 'edited', (code) => changed(code, (payload) => payload.replace(/\.[^.]+$/u, ''))],
    ['an edited ticket', 'edited', (code) => changed(code, (payload) => payload.replace(/\.../u, '.zZ'))],
    [
      'a ticket that was cut',
      'edited',
      (code) => changed(code, (payload) => payload.replace(/^(.{9}).*?\./u, '$1abcd.')),
    ],
    ['another device’s signature', 'edited', async () => codeOf(await ticketFor(), newDevice())],
    [
      'a request without a real key',
      'edited',
      async () => codeOf(await ticketFor({ releaseKey: 'f'.repeat(43) })),
    ],
    ['another vendor', 'unknown-key', async () => codeOf(await ticketFor({}, keyOf('other-vendor')))],
    [
      'another vendor’s ticket under this key’s name',
      'edited',
      async () => codeOf(await ticketFor({}, keyOf(vendor.id))),
    ],
  ])('%s', async (_what, fault, change) => {
    const text = await change(await codeOf(await ticketFor()))
    expect(await readReleaseCode(text, [vendor])).toEqual({ ok: false, fault })
  })
})

describe('a seat', () => {
  const ticket = { ...request, activationId: 'A1' }
  const listed = (ids: readonly string[], isWhole = true, atMs: number | null = nowMs) => {
    const activations = ids.map((id) => ({ id, deviceName: null, fingerprint: null, createdAtMs: null }))
    return answer({ activations, isWhole }, atMs)
  }
  const origin = { status: 404, serverDateMs: nowMs }
  const gone = refusal('unknown-activation', origin)
  const notFoundAt = (serverDateMs: number | null) =>
    unavailable('not-found', { httpStatus: 404, bodyIsJson: true, serverDateMs })
  const notFound = notFoundAt(nowMs)
  const dayMs = 86_400_000
  const lost = unavailable('timeout', { mayHaveActed: true })

  test.each([
    ['freed', 'by the service’s answer', answer(null, nowMs), listed(['a1'])],
    ['freed', 'by an answer without a list', answer(null, nowMs), lost],
    [
      'freed',
      'by an answer, and not in a list of yesterday',
      answer(null, nowMs),
      listed([], true, nowMs - dayMs),
    ],
    ['already-free', 'answered, and not in the list before', answer(null, nowMs), listed(['other'])],
    ['already-free', 'refused, and not in the list', gone, listed(['other'])],
    ['already-free', 'not found, and not in the list', notFound, listed([])],
    ['failed', 'by a request whose answer was lost, whatever the list contains', lost, listed([])],
    ['refused', 'refused and still in the list', gone, listed(['a1'])],
    ['refused', 'refused, in a list that is not whole', gone, listed([], false)],
    ['failed', 'not found, and the list can’t be read', notFound, lost],
    ['failed', 'not found by a proxy that has the list', notFound, listed(['a1'])],
    ['failed', 'not found, and not in a list of yesterday', notFound, listed([], true, nowMs - dayMs)],
    ['refused', 'refused, and not in a list of yesterday', gone, listed([], true, nowMs - dayMs)],
    [
      'already-free',
      'not found, and not in a list of just before',
      notFound,
      listed([], true, nowMs - 5_000),
    ],
    ['already-free', 'not found, and not in a list without a date', notFound, listed([], true, null)],
    ['failed', 'not found by another host than the one that lists', notFoundAt(null), listed([])],
    ['failed', 'not reached', lost, lost],
  ])('is %s: %s', async (kind, _how, deactivated, list) => {
    const service = { deactivate: async () => deactivated, listActivations: async () => list }
    expect(await freeReleasedSeat(service, ticket)).toMatchObject({ kind })
  })
})
