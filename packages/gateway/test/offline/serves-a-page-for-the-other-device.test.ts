import { createHash } from 'node:crypto'
import { writeOfflineRequest } from '@latchkey/services/offline'
import { describe, expect, test } from 'vitest'
import { languageOf } from '../../src/site/site-texts.ts'
import { startGateway } from '../gateway-fixture.ts'
import { otherFingerprint } from '../services/face-fixture.ts'
import { asking, claimsOf, newReleasingDevice, signingKey, startOffline } from './offline-fixture.ts'

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
      // With `no-referrer`, a browser would send its form with the origin `null`.
      'referrer-policy': 'same-origin',
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
})

const { texts } = languageOf(new Headers())
const { problems } = texts

describe('in a browser, without a script,', () => {
  async function startPage(...options: Parameters<typeof startOffline>) {
    const gateway = await startOffline(...options)
    const { licenseKey, form } = gateway
    const request = writeOfflineRequest({ ...asking, licenseKey })
    return {
      ...gateway,
      request,
      post: (fields: Record<string, string>, headers?: Record<string, string>) =>
        form('/offline', { request, ...fields }, headers),
    }
  }

  test('a person confirms a request, and gets the answer as text, file and QR code', async () => {
    const { post, emulator, licenseId, licenseKey } = await startPage('commerce')
    const { body: confirm } = await post({})
    expect(confirm).toContain('<dd dir="auto">Ada’s laptop</dd>')
    expect(confirm).not.toContain(licenseKey)
    expect(emulator.control.keys(licenseId)).toEqual([])
    const { body: page } = await post({ step: 'activate' })
    const [, answer = ''] = /readonly spellcheck[^>]*>([^<]+)</u.exec(page) ?? []
    await expect(claimsOf(answer)).resolves.toMatchObject({ sta: 'ACTIVE' })
    expect(page).toContain('download="answer.latchkey"')
    expect(page).toContain('<img src="data:image/svg+xml,')
    expect(emulator.control.keys(licenseId)).toHaveLength(1)
  })

  test('a person whose license is full chooses a device, is asked before it is released, and then gets the answer', async () => {
    const { post, emulator, licenseId } = await startPage('commerce')
    const names = ['$& of $1', '<b>Bob</b>', '$$']
    for (const name of names) emulator.control.addKey(licenseId, `${name} [${otherFingerprint}]`)
    const full = await post({ step: 'activate' })
    expect(full.status).toBe(422)
    expect(full.body).toContain(texts.seatsHeading)
    expect(full.body).toContain(texts.startOver)
    for (const name of ['$&amp; of $1', '&lt;b&gt;Bob&lt;/b&gt;', '$$'])
      expect(full.body).toContain(`<bdi>${name}</bdi>`)
    const [, device = ''] = /name="device" value="([^"]+)"/u.exec(full.body) ?? []
    expect((await post({ step: 'confirm', device })).body).toContain('<h1>Release <bdi>')
    expect(emulator.control.keys(licenseId)).toHaveLength(3)
    expect((await post({ step: 'list' })).body).toContain(texts.seatsHeading)
    expect((await post({ step: 'release', device })).body).toContain(texts.doneHeading)
    expect(emulator.control.keys(licenseId)).toHaveLength(3)
  })

  test('a person confirms a release code, which frees its seat', async () => {
    const { post, send, emulator, licenseId } = await startPage('commerce')
    const device = newReleasingDevice()
    const { answer } = (await send({ releaseKey: device.releaseKey })).body
    const request = await device.codeFor(answer)
    expect((await post({ request })).body).toContain(texts.releaseConfirm)
    expect(emulator.control.keys(licenseId)).toHaveLength(1)
    expect((await post({ request, step: 'free' })).body).toContain(texts.freedLead)
    expect(emulator.control.keys(licenseId)).toEqual([])
    expect((await post({ request, step: 'free' })).body).toContain(texts.alreadyFreed)
  })

  test('a text that is no request stays there, with what is wrong with it', async () => {
    const { post, step } = await startPage('commerce')
    const { answer } = (await step({})).body
    for (const [request, problem] of [
      [answer, problems.answer],
      [`> ${answer.replaceAll('\n', '\n> ')}`, problems.answer],
      ['a license key', problems.noRequest],
      ['x'.repeat(70_000), problems.noRequest],
    ]) {
      const { status, body } = await post({ request })
      expect(status).toBeGreaterThanOrEqual(400)
      expect(body).toContain(problem)
    }
    expect((await post({ request: 'a <license> key' })).body).toContain('>a &lt;license&gt; key</textarea>')
  })

  test('a request is found in a long email, whatever its alphabet', async () => {
    const { post, licenseKey } = await startPage('commerce')
    const request = `${'Прошу активировать мой компьютер. '.repeat(500)}\n${writeOfflineRequest({ ...asking, licenseKey })}`
    expect((await post({ request })).body).toContain(texts.confirm)
  })

  test('a person is sent to the support if the app would reject the answer, and not for a rule that fails', async () => {
    const rule = { isFailing: false }
    const { post, emulator, licenseKey, licenseId } = await startPage('commerce', {
      plan() {
        if (rule.isFailing) throw new Error('the database is away')
        return null
      },
    })
    const request = writeOfflineRequest({ ...asking, licenseKey, trustedKeys: ['abcd1234'] })
    expect((await post({ request, step: 'activate' })).body).toContain(problems.unlisted)
    expect(emulator.control.keys(licenseId)).toEqual([])
    rule.isFailing = true
    expect((await post({ step: 'activate' })).body).toContain(problems.unavailable)
  })

  test('a form of another site does nothing', async () => {
    const { post, emulator } = await startPage('commerce')
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }])
      expect((await post({ step: 'activate' }, headers)).status).toBe(403)
    expect(emulator.control.requests()).toEqual([])
  })
})
