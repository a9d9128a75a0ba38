import { createHash } from 'node:crypto'
import { writeOfflineRequest } from '@latchkey/services/offline'
import { describe, expect, test, vi } from 'vitest'
import { siteTexts as allTexts } from '../../src/site/site-texts.ts'
import { startGateway } from '../gateway-fixture.ts'
import { otherFingerprint } from '../services/face-fixture.ts'
import { asking, claimsOf, signingKey, startOffline } from './offline-fixture.ts'
import { openPage } from './open-page.ts'

/** The page's own requests use `fetch`, too. */
const gatewaysFetch = globalThis.fetch

const offline = { signing: { keys: [signingKey] }, offline: { days: 365 } }

describe('the page for the other device', () => {
  test('comes with a policy that allows only its own script and style, and asks nobody else', async () => {
    const { call, lines } = await startGateway(offline)
    const answer = await call('GET', '/offline')
    const html = await answer.text()
    expect(answer.status).toBe(200)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
    expect(answer.headers.has('set-cookie')).toBe(false)
    const policy = answer.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/u)
    for (const tag of ['script', 'style']) {
      const [, text = ''] = new RegExp(`<${tag}>(.*?)</${tag}>`, 'su').exec(html) ?? []
      expect(text).not.toBe('')
      expect(policy).toContain(`'sha256-${createHash('sha256').update(text).digest('base64')}'`)
    }
    expect(html).not.toMatch(/(?:src|href|url\()\s*=?\s*["']?(?:https?:)?\/\//u)
    expect(lines).toMatchObject([{ route: 'offline', status: 200, level: 'info', license: null }])
  })

  test('is the same for everyone, and not there for other methods or unless it is turned on', async () => {
    const { call } = await startGateway(offline)
    const [one, other] = await Promise.all(
      ['/offline', '/offline?license=1'].map(async (path) => (await call('GET', path)).text()),
    )
    expect(one).toBe(other)
    expect((await call('HEAD', '/offline')).status).toBe(404)
    expect((await call('PUT', '/offline')).status).toBe(404)
    const off = await startGateway({ signing: offline.signing })
    expect((await off.call('GET', '/offline')).status).toBe(404)
  })

  test.each(Object.entries(allTexts))('has every text with its placeholders in %s', (_language, texts) => {
    expect(texts.validUntil).toContain('{date}')
    expect(texts.release).toContain('{name}')
    const all = [...Object.values(texts), ...Object.values(texts.problems)].filter(
      (text) => typeof text === 'string',
    )
    expect(all.filter((text) => text.trim() === '')).toEqual([])
  })

  test('has the twelve languages of the activation window', () => {
    expect(Object.keys(allTexts).toSorted()).toEqual([
      'ar',
      'de',
      'en',
      'es',
      'fr',
      'it',
      'ja',
      'ko',
      'nl',
      'pl',
      'pt',
      'zh',
    ])
  })
})

describe('the steps of the page', () => {
  test('show which device and license a request is about, without asking the service', async () => {
    const { step, emulator, licenseKey } = await startOffline('commerce')
    expect(await step({ action: 'show' })).toMatchObject({
      status: 200,
      body: {
        device: 'Ada’s laptop',
        app: 'com.example.notes',
        license: `${licenseKey.slice(0, 4)}••••${licenseKey.slice(-4)}`,
      },
    })
    expect(emulator.control.requests()).toEqual([])
  })

  test('return the answer as a QR code if asked', async () => {
    const { step } = await startOffline('commerce')
    const { body } = await step({ action: 'activate', code: true })
    expect(body.code).toMatch(/^<svg /u)
    await expect(claimsOf(body.answer)).resolves.toBeDefined()
  })

  test.each(['commerce', 'keygen', 'polar'] as const)(
    'free the seat of a device that the person chooses, and take it (%s)',
    async (face) => {
      const { step, of, licenseKey, emulator, licenseId } = await startOffline(face)
      await of(licenseKey).activate(`Bob’s desktop [${otherFingerprint}]`)
      for (const other of ['B', 'C']) emulator.control.addKey(licenseId, other)
      expect(await step({})).toMatchObject({ status: 422, body: { error: 'no-seat-left' } })
      const { devices } = (await step({ action: 'devices' })).body
      expect(devices).toHaveLength(3)
      const bob = devices.find(({ name }: { name: string }) => name.startsWith('Bob’s desktop'))
      expect(await step({ action: 'release', device: bob.device })).toMatchObject({
        body: { released: true },
      })
      // A second click finds it gone.
      expect(await step({ action: 'release', device: bob.device })).toMatchObject({
        body: { released: false },
      })
      expect((await step({})).status).toBe(200)
      expect(emulator.control.keys(licenseId)).toHaveLength(3)
    },
  )

  test('say what is wrong with the license, whatever the step', async () => {
    const { step, emulator } = await startOffline('commerce')
    emulator.control.faults.inject({ fault: 'status', status: 503 })
    for (const action of ['devices', 'release'] as const) {
      expect(await step({ action, device: 'x' })).toMatchObject({
        status: 503,
        body: { error: 'upstream-busy' },
      })
    }
    expect(await step({ action: 'delete' })).toMatchObject({ status: 400, body: { error: 'invalid-body' } })
  })

  test('recognize an answer in place of a request, and not any other text', async () => {
    const { ask, step } = await startOffline('commerce', { fetch: gatewaysFetch })
    const { answer } = (await step({})).body
    const { problems } = allTexts['en'] ?? {}
    const expectFor = async (text: string, problem = ''): Promise<void> => {
      const { texts } = openPage(text, (body) => ask('POST', '/offline', body))
      await vi.waitFor(() => expect(texts()).toContain(problem), { timeout: 60_000 })
    }
    await expectFor(answer, problems?.answer)
    await expectFor(`> ${answer.replaceAll('\n', '\n> ')}`, problems?.answer)
    await expectFor('a license key', problems?.noRequest)
  })

  test('send the person to the support if the app would reject the answer, and not for a rule that fails', async () => {
    const rule = { isFailing: false }
    const { ask, emulator, licenseKey, licenseId } = await startOffline('commerce', {
      fetch: gatewaysFetch,
      plan() {
        if (rule.isFailing) throw new Error('the database is away')
        return null
      },
    })
    const { activate = '', problems } = allTexts['en'] ?? {}
    const expectFor = async (trustedKeys: readonly string[], problem = ''): Promise<void> => {
      const request = writeOfflineRequest({ ...asking, licenseKey, trustedKeys })
      const { buttons, texts } = openPage(request, (body) => ask('POST', '/offline', body))
      await vi.waitFor(() => expect([...buttons().keys()]).toContain(activate), { timeout: 60_000 })
      buttons().get(activate)?.()
      await vi.waitFor(() => expect(texts()).toContain(problem), { timeout: 60_000 })
    }
    await expectFor(['abcd1234'], problems?.unlisted)
    expect(emulator.control.keys(licenseId)).toEqual([])
    rule.isFailing = true
    await expectFor([], problems?.unavailable)
  })
})

test('the page shows the names of the devices that hold the seats, exactly as they are', async () => {
  const { ask, emulator, licenseKey, licenseId } = await startOffline('commerce', {
    fetch: gatewaysFetch,
  })
  const names = ['$& of $1', "$` and $'", '$$']
  for (const name of names) emulator.control.addKey(licenseId, `${name} [${otherFingerprint}]`)
  const request = writeOfflineRequest({ ...asking, licenseKey })
  const { buttons } = openPage(request, (body) => ask('POST', '/offline', body))
  const { activate, release } = allTexts['en'] ?? { activate: '', release: '' }
  await vi.waitFor(() => expect([...buttons().keys()]).toContain(activate), { timeout: 60_000 })
  buttons().get(activate)?.()
  const [before, after] = release.split('{name}')
  await vi.waitFor(() =>
    expect([...buttons().keys()]).toEqual(
      expect.arrayContaining(names.map((name) => `${before}\u2068${name}\u2069${after}`)),
    ),
  )
})
