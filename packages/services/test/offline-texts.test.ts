import { generateKeyPairSync, sign } from 'node:crypto'
import {
  findOfflineText,
  type OfflineRequest,
  offlineClaimsOf,
  offlineType,
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
import { nothingTold } from '../src/license-service.ts'

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
const request: OfflineRequest = {
  app: 'com.example.notes',
  deviceName: 'Zoë’s プリンター',
  fingerprint: '0123456789abcdef',
  nonce: 'n0nce-n0nce-n0nce-n0nce_',
  licenseKey: '3f8a1b2c-4d5e-4f60-8a7b-9c0d1e2f3a4b',
  trustedKeys: ['abcdEFGH'],
  releaseKey: device.releaseKey,
}
const text = writeOfflineRequest(request)

describe('a request', () => {
  test('fits, with an address, into a QR code that a phone can read from a screen', () => {
    expect(`https://licensing.vendor.example/v1/offline#${text}`.length).toBeLessThan(392)
  })

  test.each([
    ['as it is', text],
    ['in the lines of a file', wrapOfflineText(text)],
    ['with Windows line breaks', wrapOfflineText(text).replaceAll('\n', '\r\n')],
    ['quoted in an email', `Hello,\n${wrapOfflineText(text).replace(/^/gmu, '> > ')}\nBest regards`],
    ['in the middle of a sentence', `My request is ${text} Thank you!`],
    ['in a link', `https://licensing.vendor.example/v1/offline#${text}`],
    ['with zero-width characters', text.replace(/(.{20})/gu, '$1\u200B')],
    ['in JSON, as a server sends it', JSON.stringify({ text: wrapOfflineText(text), until: '2030-01-01' })],
    ['with the hyphens of a word processor', text.replaceAll('-', '\u2011')],
  ])('is read %s', (_how, pasted) => {
    expect(readOfflineRequest(pasted)).toEqual({ ok: true, request })
  })

  test('keeps a license key in any format', () => {
    const licenseKey = `key/${'a+b='.repeat(400)}.sig`
    expect(readOfflineRequest(writeOfflineRequest({ ...request, licenseKey }))).toMatchObject({
      request: { licenseKey },
    })
  })

  test('can be read when a later release adds fields', () => {
    const fields = JSON.stringify([...Object.values(request), { new: 1 }])
    const later = writeOfflineText('request', Buffer.from(fields).toString('base64url'))
    expect(readOfflineRequest(later)).toEqual({ ok: true, request })
  })
})

describe('unreadable text is rejected with the reason', () => {
  const jws = 'eyJhbGciOiJFZERTQSJ9.eyJpc3MiOiJsYXRjaGtleSJ9.c2lnbmF0dXJl'
  test.each([
    ['cut off at the end', text.slice(0, -9), 'torn'],
    ['cut off in the middle', text.slice(0, 60), 'torn'],
    ['with a mistyped character', text.replace(/\.(.)/u, '.%'), 'torn'],
    ['with two characters swapped', text.replace(/\.(.)(.)/u, '.$2$1'), 'torn'],
    ['of a future version', text.replace('-1.', '-2.'), 'newer'],
    ['an answer in its place', writeOfflineText('answer', jws), 'other-kind'],
    ['the QR code of something else', 'https://example.com/menu', 'nothing'],
    ['nothing', '', 'nothing'],
    ['a huge file', 'a'.repeat(100_000_000), 'too-long'],
  ])('%s', (_what, pasted, fault) => {
    expect(readOfflineRequest(pasted)).toEqual({ ok: false, fault })
  })

  test.each([
    ['not a list', '{}'],
    ['not JSON', 'nothing'],
    ['too few fields', '["com.example.notes"]'],
    ['an invalid fingerprint', JSON.stringify(['app', 'name', 'x', request.nonce, 'key', []])],
    ['a name of two lines', JSON.stringify(['app', 'a\nb', request.fingerprint, request.nonce, 'key', []])],
  ])('%s, with a correct checksum', (_what, json) => {
    const made = writeOfflineText('request', Buffer.from(json).toString('base64url'))
    expect(readOfflineRequest(made)).toEqual({ ok: false, fault: 'torn' })
  })

  test('each missing or changed character of an answer', () => {
    const answer = writeOfflineText('answer', jws)
    expect(findOfflineText('answer', answer)).toEqual({ ok: true, payload: jws })
    const start = answer.indexOf('.') + 1
    for (let index = start; index < answer.length; index += 1) {
      const missing = answer.slice(0, index) + answer.slice(index + 1)
      const changed = answer.slice(0, index) + (answer[index] === 'a' ? 'b' : 'a') + answer.slice(index + 1)
      for (const one of [missing, changed]) expect(findOfflineText('answer', one).ok, one).toBe(false)
    }
  })
})

describe('a signed token without its prefix', () => {
  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const tokenOf = (typ: string): string =>
    [
      encode({ alg: 'EdDSA', typ, kid: 'zQ0hE5d7l1w8gYkXrYh3mE2pVq0b9s4T6u7v8w9x0y1' }),
      encode({ iss: 'latchkey-gateway', app: 'com.example.notes', exp: 1_800_000_000 }),
      Buffer.alloc(64, 7).toString('base64url'),
    ].join('.')
  const answer = wrapOfflineText(writeOfflineText('answer', tokenOf(offlineType)))
  const lease = tokenOf('latchkey-lease+jwt')

  test.each([
    ['its first character', answer.slice(1)],
    ['its first five characters', answer.slice(5)],
    ['its prefix', answer.slice('latchkey-answer-1.'.length)],
    ['its prefix, in an email', `Here it is: ${answer.slice('latchkey-answer-1.'.length)}Regards`],
    ['its first line', answer.slice(answer.indexOf('\n') + 1)],
    ['everything around the token', tokenOf(offlineType)],
  ])('is an incomplete answer if the answer lost %s', (_what, pasted) => {
    expect(findOfflineText('answer', pasted)).toEqual({ ok: false, fault: 'torn' })
    // In place of another text, the rest of it wouldn't help.
    for (const kind of ['request', 'release'] as const)
      expect(findOfflineText(kind, pasted)).toEqual({ ok: false, fault: 'nothing' })
  })

  test.each([
    ['alone', lease],
    ['in an email', `Is it this?\n${wrapOfflineText(lease)}\nRegards`],
    ['at the end of a sentence', `It is ${lease}.`],
  ])('is an online lease if it is one, %s', (_how, pasted) => {
    expect(findOfflineText('answer', pasted)).toEqual({ ok: false, fault: 'online-lease' })
  })
})

// Anyone can send such texts to a gateway. One expression for a whole token took two seconds for each.
test('long texts that look like the start of a token are read to their end', () => {
  const start = 'eyJ'.repeat(16_000)
  for (const end of ['', '.', '.a', '.a.', '..a', '-', '_.'])
    expect(findOfflineText('request', `${start}${end}`)).toEqual({ ok: false, fault: 'nothing' })
  for (const text of ['eyJa.'.repeat(9_999), `${start}.a.b`])
    expect(findOfflineText('request', text)).toEqual({ ok: false, fault: 'nothing' })
})

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
