import type { Emulator } from '@latchkey/emulator'
import { devicesPageHeader } from '@latchkey/services/commerce'
import { serviceNames } from '@latchkey/services/environment'
import { writeOfflineRequest } from '@latchkey/services/offline'
import { describe, expect, test } from 'vitest'
import { pathIdOf } from '../../src/http/routes.ts'
import type { GatewayOptions } from '../../src/index.ts'
import { siteTexts } from '../../src/site/site-texts.ts'
import { accessToken, startService } from '../gateway-fixture.ts'
import { asking, signingKey } from '../offline/offline-fixture.ts'
import { adapterOf, type FaceGateway, gatewayOf, startFace, type Told } from '../services/face-fixture.ts'

const origin = 'https://licenses.vendor.example'
const faces = ['commerce', ...serviceNames] as const
const { en } = siteTexts
const [old, desktop, newDevice] = [
  'Old laptop [0123456789abcdef]',
  'Desktop [fedcba9876543210]',
  'New laptop [00112233445566aa]',
]

interface Pages extends FaceGateway {
  readonly emulator: Emulator
  readonly licenseKey: string
  readonly licenseId: string
  json(body: object, headers?: Record<string, string>): Promise<Pick<Told, 'status' | 'body'>>
  /** Posts the page's form, as a browser does. */
  post(fields: Record<string, string>, headers?: Record<string, string>): Promise<Told>
  activate(name: string, key?: string): Promise<Response>
}

async function startPages(
  face: (typeof faces)[number] = 'commerce',
  options: Omit<Partial<GatewayOptions>, 'upstream'> = {},
  running?: Emulator,
): Promise<Pages> {
  const emulator = running ?? (face === 'commerce' ? await startService() : await startFace(face))
  const upstream =
    face === 'commerce' ? { baseUrl: emulator.baseUrl, accessToken } : adapterOf(face, emulator)
  const gateway = gatewayOf(upstream, { devicesPage: true, ...options })
  const licenseKey = face === 'commerce' ? emulator.demoLicense.id : emulator.licenseKey
  return {
    ...gateway,
    emulator,
    licenseKey,
    licenseId: emulator.demoLicense.id,
    async json(sent, headers) {
      const { status, body } = await gateway.ask('POST', '/devices', sent, headers)
      return { status, body }
    },
    post: (fields, headers) => gateway.form('/devices', fields, headers),
    activate: (name, key = licenseKey) =>
      gateway.send(`/licenses/${pathIdOf(key)}/activate`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name }),
      }),
  }
}

/** A license key that no license has. */
const otherKey = (licenseKey: string, end: string): string => licenseKey.replace(/.$/u, end)

/** The handles in a page's list. */
function handlesIn(page: string): string[] {
  return [...page.matchAll(/name="device" value="([^"]+)"/gu)].map(([, handle = '']) => handle)
}

describe.each(faces)('in front of %s', (face) => {
  test('a dead laptop is released in a browser, and the new one is activated', async () => {
    const { activate, post, json, emulator, licenseKey, licenseId, lines } = await startPages(face)
    emulator.control.updateLicense(licenseId, { activation_limit: 2 })
    for (const name of [old, desktop]) expect((await activate(name)).status).toBe(200)
    expect((await activate(newDevice)).status).toBe(422)

    const listed = (await post({ licenseKey: `Your key: ${licenseKey}\n` })).body
    expect(listed).toContain('<bdi>Old laptop</bdi>')
    expect(listed).not.toContain('0123456789abcdef')
    for (const { id } of emulator.control.keys(licenseId)) expect(listed).not.toContain(id)
    const { devices, isWhole } = (await json({ licenseKey })).body
    expect(isWhole).toBe(true)
    const { device } = devices.find(({ name }: { name: string }) => name === 'Old laptop')
    expect(handlesIn(listed)).toContain(device)

    const confirm = (await post({ licenseKey, device, step: 'confirm' })).body
    expect(confirm).toContain('<h1>Release <bdi>Old laptop</bdi>?</h1>')
    expect(emulator.control.keys(licenseId)).toHaveLength(2)
    const released = (await post({ licenseKey, device, step: 'release' })).body
    expect(released).toContain(en?.freedHeading)
    expect(released).toContain(en?.freedLead)
    expect(released).toContain('the app on <bdi>Old laptop</bdi> shows that this device was released')
    // A second click, or somebody else who was faster.
    expect((await post({ licenseKey, device, step: 'release' })).body).toContain(en?.alreadyFreed)
    // A form without a device releases nothing, so it must not say so.
    expect((await post({ licenseKey, step: 'release' })).body).not.toContain(en?.alreadyFreed)
    expect(await json({ licenseKey, device })).toEqual({ status: 200, body: { released: false } })

    expect((await activate(newDevice)).status).toBe(200)
    const names = (await json({ licenseKey })).body.devices.map(({ name }: { name: string }) => name)
    expect(names.toSorted()).toEqual(['Desktop', 'New laptop'])
    expect(JSON.stringify(lines)).not.toContain(licenseKey)
  })

  test('two people who release one device at once free one seat', async () => {
    const { activate, json, licenseKey, emulator, licenseId } = await startPages(face)
    for (const name of [old, desktop]) await activate(name)
    const [{ device }] = (await json({ licenseKey })).body.devices
    const answers = await Promise.all([json({ licenseKey, device }), json({ licenseKey, device })])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(emulator.control.keys(licenseId)).toHaveLength(1)
  })

  test('a made-up key gets the answer of an unknown one, after as many requests', async () => {
    const { json, post, licenseKey, emulator } = await startPages(face)
    const answersTo = async (key: string) => {
      const before = emulator.control.requests().length
      const [listed, released] = [
        await json({ licenseKey: key }),
        await json({ licenseKey: key, device: 'x' }),
      ]
      const page = await post({ licenseKey: key })
      const [heading] = /<h1>.*<\/h1>/u.exec(page.body) ?? []
      const operations = emulator.control
        .requests()
        .slice(before)
        .map(({ operation }) => operation)
      return { listed, released, page: page.status, heading, operations }
    }
    // The gateway may remember what it has searched.
    await answersTo(otherKey(licenseKey, '8'))
    const unknown = await answersTo(otherKey(licenseKey, '9'))
    // A service may say of any key that it has no devices.
    expect(unknown.listed.status === 404 || unknown.listed.body.devices.length === 0).toBe(true)
    for (const key of ['made up', '../../customers', '🔑'.repeat(500)]) {
      expect(await answersTo(key), key).toEqual(unknown)
    }
  })

  test('a service that fails in the middle frees nothing, and the page says so', async () => {
    const { activate, post, json, licenseKey, emulator, licenseId } = await startPages(face)
    await activate(old)
    const [{ device }] = (await json({ licenseKey })).body.devices
    emulator.control.faults.inject({ fault: 'status', status: 503, operation: 'deactivate' })
    const failed = await post({ licenseKey, device, step: 'release' })
    expect(failed.status).toBe(503)
    expect(failed.body).toContain(en?.problems.unavailable)
    expect(emulator.control.keys(licenseId)).toHaveLength(1)
  })
})

const other = 'b6724bc8-0000-4000-8000-000000000000'

test.each([
  ['dodo', { productId: 'pdt_other' }],
  ['keygen', { product: other }],
  ['lemon-squeezy', { productId: '999' }],
  ['lemon-squeezy', { storeId: '999' }],
  ['polar', { benefitId: other }],
] as const)('a key of another product shows and frees nothing: %s, %o', async (face, settings) => {
  const { activate, json, licenseKey, emulator, licenseId } = await startPages(face)
  await activate(old)
  const [{ device }] = (await json({ licenseKey })).body.devices
  const theirs = await startPages(face, {}, { ...emulator, settings: { ...emulator.settings, ...settings } })
  for (const asked of [{ licenseKey }, { licenseKey, device }]) {
    const { status, body } = await theirs.json(asked)
    expect(status, JSON.stringify(body)).toBeGreaterThanOrEqual(404)
    const page = (await theirs.post({ ...asked, step: 'release' })).body
    expect(page).toContain(en?.devices.unknown)
    expect(page).not.toContain('Old laptop')
  }
  expect(emulator.control.keys(licenseId)).toHaveLength(1)
})

test('a device that runs without internet says until when, and its seat waits for its release code', async () => {
  const { send, json, post, licenseKey, emulator, licenseId } = await startPages('commerce', {
    signing: { keys: [signingKey] },
    offline: { days: 365 },
  })
  const request = writeOfflineRequest({ ...asking, licenseKey })
  await send('/offline', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ request }),
  })
  const [shown] = (await json({ licenseKey })).body.devices
  expect(shown).toMatchObject({
    name: expect.stringMatching(/^Ada/u),
    offlineUntil: expect.stringMatching(/^20/u),
  })
  expect(await json({ licenseKey, device: shown.device })).toEqual({
    status: 422,
    body: { error: 'offline-seat' },
  })
  const page = (await post({ licenseKey })).body
  expect(page).toMatch(/required disabled.*Works without internet until <time /su)
  const refused = await post({ licenseKey, device: shown.device, step: 'release' })
  expect(refused.body).toContain(en?.devices.offlineSeat)
  expect(emulator.control.keys(licenseId)).toHaveLength(1)
})

test('its seat is held even after the gateway has stopped to activate without internet', async () => {
  const { activate, json, licenseKey, emulator, licenseId } = await startPages('commerce')
  await activate('✈ Ada’s PC [0000000000000001]')
  const [shown] = (await json({ licenseKey })).body.devices
  expect(await json({ licenseKey, device: shown.device })).toMatchObject({ body: { error: 'offline-seat' } })
  expect(emulator.control.keys(licenseId)).toHaveLength(1)
})

describe('a form', () => {
  test.each([
    ['of another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['of a sibling domain', { 'sec-fetch-site': 'same-site', origin: 'https://www.vendor.example' }],
    ['of another site, from an older browser', { origin: 'https://evil.example' }],
    ['of a sandboxed frame', { origin: 'null' }],
    ['that doesn’t say where it is from', {}],
  ])('%s does nothing', async (_name, headers) => {
    const { activate, post, json, licenseKey, emulator, licenseId } = await startPages()
    await activate(old)
    const [{ device }] = (await json({ licenseKey })).body.devices
    const before = emulator.control.requests().length
    const answer = await post({ licenseKey, device, step: 'release' }, headers)
    expect(answer.status).toBe(403)
    expect(answer.body).not.toContain('Old laptop')
    expect(emulator.control.requests()).toHaveLength(before)
    expect(emulator.control.keys(licenseId)).toHaveLength(1)
  })

  test('of the page itself works behind a proxy that terminates TLS, in an older browser', async () => {
    const { post, licenseKey } = await startPages()
    const answer = await post({ licenseKey }, { origin: origin.replace('https', 'http') })
    expect(answer.status).toBe(200)
  })

  test('as JSON from another site does nothing', async () => {
    const { json, licenseKey } = await startPages()
    expect(await json({ licenseKey }, { origin: 'https://evil.example' })).toEqual({
      status: 403,
      body: { error: 'other-site' },
    })
  })
})

test('names are text, whatever they contain, and the oldest device is the first', async () => {
  const { activate, post, json, licenseKey, emulator, licenseId } = await startPages()
  const names = ['<img src=x onerror=alert(1)>', '\u202egnp.exe', '"&amp;\' {name}', '$& $1']
  for (const name of names) emulator.control.addKey(licenseId, `${name} [0123456789abcdef]`)
  await activate(desktop)
  const page = (await post({ licenseKey })).body
  expect(page).not.toMatch(/<img src=x|onerror=alert\(1\)>/u)
  expect(page).toContain('<bdi>&lt;img src=x onerror=alert(1)&gt;</bdi>')
  expect(page).toContain('<bdi>\u202egnp.exe</bdi>')
  const { devices } = (await json({ licenseKey })).body
  expect(devices.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(names))
  expect(devices.filter(({ isOldest }: { isOldest: boolean }) => isOldest)).toEqual([devices[0]])
  expect(page.split(en?.devices.oldest ?? '')).toHaveLength(2)
})

test('2,000 devices are listed, and the last one is released', async () => {
  const { post, json, licenseKey, emulator, licenseId } = await startPages()
  emulator.control.updateLicense(licenseId, { activation_limit: 2_000 })
  for (let index = 0; index < 2_000; index += 1) emulator.control.addKey(licenseId, `Computer ${index}`)
  const page = (await post({ licenseKey })).body
  const handles = handlesIn(page)
  expect(new Set(handles).size).toBe(2_000)
  expect(page).toContain('id="find"')
  expect(await json({ licenseKey, device: handles.at(-1) })).toMatchObject({ body: { released: true } })
  expect(emulator.control.keys(licenseId)).toHaveLength(1_999)
})

describe('limits', () => {
  test('10,000 requests reach the service no more often than the limit of one license', async () => {
    const { post, licenseKey, emulator, lines } = await startPages('commerce', {
      clientAddress: () => '203.0.113.7',
      // A slow machine answers the last of them late.
      timeoutMs: 600_000,
    })
    const answers: Told[] = []
    // All at once would keep a busy machine from connecting to the service in time.
    while (answers.length < 10_000) {
      answers.push(...(await Promise.all(Array.from({ length: 500 }, () => post({ licenseKey })))))
    }
    const statuses = answers.map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([200, 429]))
    expect(emulator.control.requests().length).toBeLessThanOrEqual(240)
    const refused = answers.find(({ status }) => status === 429)
    expect(Number(refused?.retryAfter)).toBeGreaterThan(0)
    expect(refused?.body).toContain(en?.problems.tooMany)
    expect(lines).toHaveLength(10_000)
  })

  test.each([['unknown'], ['made up']])('%s keys are counted for their address', async (kind) => {
    const { json, licenseKey } = await startPages('commerce', { clientAddress: () => '203.0.113.7' })
    const statuses: number[] = []
    for (let index = 0; index < 30; index += 1) {
      const end = String(index).padStart(12, '0')
      const key = kind === 'unknown' ? licenseKey.replace(/[\da-f]{12}$/u, end) : `not a key ${end}`
      statuses.push((await json({ licenseKey: key })).status)
    }
    expect(statuses.slice(0, 20)).toEqual(Array(20).fill(404))
    expect(statuses.slice(20)).toContain(429)
  })
})

test('a license that the vendor’s rule refuses looks like an unknown one', async () => {
  const { activate, json, post, licenseKey, emulator, licenseId } = await startPages('commerce', {
    allow: () => false,
  })
  emulator.control.addKey(licenseId, old)
  await activate(desktop)
  expect(await json({ licenseKey })).toEqual({ status: 404, body: { error: 'not-found' } })
  expect((await post({ licenseKey })).body).toContain('We couldn’t find this license key')
})

test('a list that the service refuses leads to the support', async () => {
  const { post, licenseKey, emulator } = await startPages('commerce', {
    site: { support: 'mailto:help@vendor.example' },
  })
  emulator.control.faults.inject({ fault: 'status', status: 403, operation: 'keys' })
  const page = await post({ licenseKey })
  expect(page.status).toBe(403)
  const text = page.body
  expect(text).toContain(en?.devices.unlisted)
  expect(text).toContain('<a href="mailto:help@vendor.example">')
})

test('a body that is none of the page’s is refused', async () => {
  const { json, post, send, emulator } = await startPages()
  expect(await json({})).toMatchObject({ status: 400, body: { error: 'invalid-body' } })
  expect(await json({ licenseKey: 7 })).toMatchObject({ status: 400 })
  expect(await json({ licenseKey: 'x'.repeat(20_000) })).toMatchObject({ status: 413 })
  expect((await post({ step: 'release' })).status).toBe(400)
  expect((await post({ licenseKey: 'x'.repeat(60_000) })).status).toBe(413)
  const upload = new FormData()
  upload.set('licenseKey', 'x')
  expect((await send('/devices', { method: 'POST', body: upload })).status).toBe(415)
  expect(emulator.control.requests()).toEqual([])
})

describe('the pages', () => {
  const site = {
    name: 'Inkwell <Notes>',
    logo: 'https://vendor.example/logo.svg',
    accent: '#ffcc00',
    support: 'mailto:help@vendor.example',
  }

  test('allow only their own style and script, and the vendor’s logo, and leave no trace', async () => {
    const { send, lines } = await startPages('commerce', { site, thanksPage: { scheme: 'inkwell' } })
    for (const [path, referrers] of [
      // With `no-referrer`, a browser would send its form with the origin `null`.
      ['/devices?key=1f0a6f52-7c3e-4b7d-9a51-3d2e8b4f9c1d', 'same-origin'],
      ['/thanks?key=SECRET-LICENSE-KEY-1234', 'no-referrer'],
    ] as const) {
      const answer = await send(path)
      const html = await answer.text()
      expect(answer.status).toBe(200)
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'cache-control': 'no-store',
        'referrer-policy': referrers,
        'x-content-type-options': 'nosniff',
      })
      const policy = answer.headers.get('content-security-policy') ?? ''
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).toContain('img-src data: https://vendor.example;')
      expect(policy).not.toMatch(/unsafe|\*/u)
      expect(html).toContain('Inkwell &lt;Notes&gt;')
      expect(html).toContain('href="mailto:help@vendor.example"')
      expect(html).toContain('--on-fill:#000')
    }
    // The page for devices ignores a key in its address: only its fragment is used, which no server gets.
    expect(await (await send('/devices?key=SECRET-LICENSE-KEY-1234')).text()).not.toContain('SECRET')
    expect(JSON.stringify(lines)).not.toContain('SECRET-LICENSE-KEY-1234')
    expect(lines.map(({ route }) => route)).toEqual(['devices', 'thanks', 'devices'])
  })

  test('thanks opens the app with the key, and says where the key is if there is none', async () => {
    const { send } = await startPages('commerce', { thanksPage: { scheme: 'inkwell' } })
    const html = await (await send(`/thanks?key=${encodeURIComponent('AB&C"><script>-1')}`)).text()
    expect(html).toContain('href="inkwell://activate?license=AB%26C%22%3E%3Cscript%3E-1"')
    expect(html).toContain('readonly>AB&amp;C&quot;&gt;&lt;script&gt;-1</textarea>')
    for (const path of ['/thanks', '/thanks?key=', '/thanks?key=%00', '/thanks?key=..']) {
      const empty = await (await send(path)).text()
      expect(empty).toContain(en?.thanks.noKey)
      expect(empty).not.toContain('inkwell://')
    }
  })

  test.each([
    [undefined, 'en', 'ltr'],
    ['tlh, xx;q=0.5', 'en', 'ltr'],
    ['fr;q=0.3, de-AT;q=0.9', 'de', 'ltr'],
    ['ar', 'ar', 'rtl'],
    ['constructor, ja', 'ja', 'ltr'],
  ])('for Accept-Language %s are in %s', async (header, language, direction) => {
    const { send } = await startPages()
    const init = header === undefined ? {} : { headers: { 'accept-language': header } }
    const html = await (await send('/devices', init)).text()
    expect(html).toContain(`<html lang="${language}" dir="${direction}">`)
    expect(html).toContain(siteTexts[language]?.devices.lead)
  })

  test.each(['/devices', '/thanks?key=1'])('%s is off by default, and for other methods', async (path) => {
    const off = await startPages('commerce', { devicesPage: false })
    expect((await off.send(path)).status).toBe(404)
    expect((await off.send(path, { method: 'POST' })).status).toBe(404)
    expect(off.lines[0]).toMatchObject({
      code: 'no-such-route',
      detail: expect.stringContaining('LATCHKEY_'),
    })
    expect((await off.activate(old)).headers.get(devicesPageHeader)).toBeNull()
    const on = await startPages('commerce', { thanksPage: { scheme: 'inkwell' } })
    for (const method of ['HEAD', 'PUT', 'DELETE', 'OPTIONS']) {
      expect((await on.send(path, { method })).status).toBe(404)
    }
    expect(on.emulator.control.requests()).toEqual([])
    // Where the app's activation window finds out that it can link to the page.
    for (const key of [on.licenseKey, on.licenseKey.replace(/.$/u, 'x')]) {
      expect((await on.activate(old, key)).headers.get(devicesPageHeader)).toBe('1')
    }
  })

  test('have the twelve languages of the activation window', () => {
    expect(Object.keys(siteTexts).toSorted().join(' ')).toBe('ar de en es fr it ja ko nl pl pt zh')
  })

  test.each(Object.entries(siteTexts))('have every text with its placeholders in %s', (_language, texts) => {
    const placeholdersIn = (text: unknown): unknown =>
      typeof text === 'string'
        ? [text.trim() !== '', ...(text.match(/\{\w+\}/gu) ?? [])]
        : Object.fromEntries(
            Object.entries(Object(text)).map(([name, inner]) => [name, placeholdersIn(inner)]),
          )
    expect(placeholdersIn(texts)).toEqual(placeholdersIn(en))
  })
})
