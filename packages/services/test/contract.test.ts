import type { FaultRule } from '@latchkey/emulator'
import { allowConcurrentTests } from '@latchkey/scripts/test/side-by-side'
import { describe, expect, it } from 'vitest'
import { commerce } from '../src/commerce.ts'
import { type LicenseFacts, readVerdict } from '../src/index.ts'
import { nothingTold } from '../src/license-service.ts'
import { createSend } from '../src/request.ts'
import {
  answerOf,
  device,
  listOf,
  otherDevice,
  refusals,
  serviceNames,
  startActivated,
  startService,
} from './emulated-services.ts'

allowConcurrentTests()

describe.each(serviceNames)('%s', (name) => {
  it('finds the license key in an email and doesn’t change it', async () => {
    const { service, licenseKey } = await startService(name)
    const mail = `Hello Ada,\n\nyour license key: ${licenseKey}\u200b\n\nHave fun!`
    expect(service.findLicenseKey(mail)).toEqual({ ok: true, licenseKey })
    expect(service.findLicenseKey(licenseKey.replaceAll('-', '\u2011'))).toEqual({ ok: true, licenseKey })
  })

  it('activates, validates and deactivates a device', async () => {
    const { emulator, service, licenseId, license, activation, request } = await startActivated(name)
    expect(activation).toMatchObject(device)
    expect(readVerdict(license, Date.now())).toBe('valid')
    const validated = answerOf(await service.validate(request))
    expect(validated.activation.id).toBe(activation.id)
    expect(readVerdict(validated.license, Date.now())).toBe('valid')
    expect(await service.deactivate(request)).toMatchObject({ kind: 'answer', value: null })
    expect(emulator.control.keys(licenseId)).toEqual([])
  })

  it('reports the service’s time with an answer', async () => {
    const { service, licenseKey } = await startService(name)
    // The header has no milliseconds.
    const beforeMs = Math.floor(Date.now() / 1000) * 1000
    const { serverDateMs } = await service.activate({ licenseKey, ...device })
    expect(serverDateMs).toBeGreaterThanOrEqual(beforeMs)
    expect(serverDateMs).toBeLessThanOrEqual(Date.now())
  })

  it('reports the end and the seats, or that they are unknown', async () => {
    const { emulator, service, licenseKey, licenseId, license } = await startActivated(name)
    const { tellsTheEnd } = service.capabilities
    const { expires_at } = emulator.control.license(licenseId)
    expect(license.endsAtMs).toBe(tellsTheEnd ? Date.parse(expires_at ?? '') : null)
    expect([3, null]).toContain(license.seatLimit)
    expect([1, null]).toContain(license.seatsInUse)
    emulator.control.updateLicense(licenseId, { expires_at: null })
    const endless = answerOf(await service.activate({ licenseKey, ...otherDevice }))
    expect(endless.license.endsAtMs).toBe(tellsTheEnd ? 'never' : null)
  })

  it.each(['unknown', 'expired', 'suspended', 'full'] as const)(
    'refuses to activate (%s) with the documented reason and takes no seat',
    async (situation) => {
      const { emulator, service, licenseKey, licenseId } = await startService(name)
      const { control } = emulator
      if (situation === 'expired') control.expire(licenseId)
      if (situation === 'suspended') control.suspend(licenseId)
      if (situation === 'full') {
        for (const other of ['A', 'B', 'C']) control.addKey(licenseId, other)
      }
      const seats = control.keys(licenseId).length
      const key = situation === 'unknown' ? licenseKey.replace(/\d/gu, '7') : licenseKey
      const outcome = await service.activate({ licenseKey: key, ...device })
      const reason = refusals[name][situation]
      expect(outcome).toMatchObject(reason === null ? { kind: 'unavailable' } : { kind: 'refusal', reason })
      const leftover = outcome.kind === 'refusal' ? outcome.leftoverActivationId : null
      expect(control.keys(licenseId)).toHaveLength(seats + (leftover === null ? 0 : 1))
    },
  )

  it.each(['expired', 'suspended'] as const)('a license that is %s entitles no device', async (situation) => {
    const { emulator, service, licenseId, request } = await startActivated(name)
    emulator.control[situation === 'expired' ? 'expire' : 'suspend'](licenseId)
    const outcome = await service.validate(request)
    const reason = refusals[name][situation]
    if (reason !== null) expect(outcome).toMatchObject({ kind: 'refusal', reason })
    else expect(readVerdict(answerOf(outcome).license, Date.now() + 1)).toBe(situation)
  })

  it('reports that a freed activation is gone, even when it is freed again', async () => {
    const { service, emulator, licenseId, request } = await startActivated(name)
    const [key] = emulator.control.keys(licenseId)
    emulator.control.removeKey(licenseId, key?.id ?? '')
    emulator.control.addKey(licenseId, 'Other')
    const reason = refusals[name].gone
    const expected = reason === null ? { kind: 'unavailable' } : { kind: 'refusal', reason }
    expect(await service.validate(request)).toMatchObject(expected)
    expect(await service.deactivate(request)).toMatchObject(expected)
  })

  it('doesn’t accept another license’s activation as one of this license', async () => {
    const { service, licenseKey, emulator, activation } = await startActivated(name)
    emulator.control.createLicense({ id: '11111111-1111-4111-8111-111111111111' })
    const other = licenseKey.replace(/[\da-f]/giu, '1')
    const outcome = await service.validate({ licenseKey: other, activationId: activation.id, ...device })
    expect(outcome.kind).not.toBe('answer')
  })

  it('lists activations with device and fingerprint if it claims to', async () => {
    const { vendor, service, licenseKey, emulator, licenseId, activation } = await startActivated(name)
    expect(vendor.capabilities.listsActivations).toBe(true)
    expect(service.listActivations === undefined).toBe(!service.capabilities.listsActivations)
    await service.activate({ licenseKey, ...otherDevice })
    emulator.control.addKey(licenseId, 'Made by hand')
    expect(await listOf(vendor, licenseKey)).toMatchObject({
      isWhole: true,
      activations: [{ ...device, id: activation.id }, otherDevice, { deviceName: 'Made by hand' }],
    })
  })

  it('takes one seat per fingerprint if it claims to', async () => {
    const { service, licenseKey, emulator, licenseId, activation } = await startActivated(name)
    const second = answerOf(await service.activate({ licenseKey, ...device }))
    const isSame = activation.id === second.activation.id
    expect(isSame).toBe(service.capabilities.idempotentByFingerprint)
    expect(emulator.control.keys(licenseId)).toHaveLength(isSame ? 1 : 2)
  })

  it('names the options that contain a vendor’s secret, never their values', async () => {
    const { service, vendor } = await startService(name)
    expect(service.vendorSecrets).toEqual([])
    if (name !== 'commerce') expect(vendor.vendorSecrets).toHaveLength(1)
    expect(JSON.stringify(vendor)).not.toContain('demo')
  })
})

/** Answers of broken proxies, captive portals and services that are down. */
const faults: readonly FaultRule[] = [
  { fault: 'reset' },
  { fault: 'timeout' },
  { fault: 'html' },
  { fault: 'empty' },
  { fault: 'no-content' },
  { fault: 'redirect' },
  { fault: 'redirect', to: 'https://portal.example' },
  // More than an adapter reads.
  { fault: 'huge-body', bytes: 3 * 1024 * 1024 },
  { fault: 'gzip-bomb', bytes: 3 * 1024 * 1024 },
  { fault: 'truncated' },
  { fault: 'cut' },
  ...[400, 401, 402, 403, 404, 407, 408, 409, 410, 418, 422, 425, 429, 451, 500, 502, 503, 504].map(
    (status): FaultRule => ({ fault: 'status', status }),
  ),
  ...[400, 403, 404, 422, 503].flatMap((status): FaultRule[] => [
    { fault: 'status', status, body: 'html' },
    { fault: 'status', status, body: 'empty' },
  ]),
]

describe.concurrent.each(serviceNames)('%s, behind a broken proxy or portal,', (name) => {
  it.each(['activate', 'validate', 'deactivate'] as const)('decides nothing: *%s*', async (verb) => {
    const { emulator, service, request } = await startActivated(name)
    // The signature covers the empty body, so it proves that the seat is free.
    const isSignedAndEmpty = verb === 'deactivate' && service.capabilities.signsItsAnswers
    for (const rule of faults) {
      if (isSignedAndEmpty && (rule.fault === 'truncated' || rule.fault === 'cut')) continue
      emulator.control.faults.clear()
      emulator.control.faults.inject(rule)
      // Only a silent service may time out. Elsewhere a timeout would hide how the answer is read.
      const timeoutMs = rule.fault === 'timeout' ? 400 : 20_000
      const result = await service[verb](request, { timeoutMs })
      expect(result, JSON.stringify(rule)).toMatchObject({ kind: 'unavailable' })
    }
  })

  it('reports that a seat may be taken when the answer to *activate* is lost', async () => {
    const { emulator, service, licenseKey, licenseId } = await startService(name)
    emulator.control.faults.inject({ fault: 'reset', operation: 'activate', when: 'after-acting' })
    const outcome = await service.activate({ licenseKey, ...device })
    expect(outcome).toMatchObject({ kind: 'unavailable', cause: 'network', mayHaveActed: true })
    expect(emulator.control.keys(licenseId)).toHaveLength(1)
  })

  it('doesn’t follow redirects, so the license key goes to no other server', async () => {
    const { emulator, service, licenseKey } = await startService(name)
    emulator.control.faults.inject({ fault: 'redirect', status: 307 })
    const outcome = await service.activate({ licenseKey, ...device })
    expect(outcome).toMatchObject({ kind: 'unavailable', cause: 'redirected', httpStatus: 307 })
    expect(emulator.control.requests()).toHaveLength(1)
  })

  it('reports how long to wait before the next request', async () => {
    const { emulator, service, request } = await startActivated(name)
    emulator.control.faults.inject({ fault: 'status', status: 429, retryAfterSeconds: 7 })
    const limited = { cause: 'rate-limited', httpStatus: 429, retryAfterMs: 7000, mayHaveActed: false }
    expect(await service.validate(request)).toMatchObject(limited)
  })

  it('can be aborted before and during a request', async () => {
    const { emulator, service, licenseKey } = await startService(name)
    const activate = (signal: AbortSignal) => service.activate({ licenseKey, ...device }, { signal })
    const cancelled = { kind: 'unavailable', cause: 'cancelled' }
    expect(await activate(AbortSignal.abort())).toMatchObject(cancelled)
    expect(emulator.control.requests()).toEqual([])
    emulator.control.faults.inject({ fault: 'timeout' })
    const controller = new AbortController()
    const pending = activate(controller.signal)
    while (emulator.control.requests().length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    controller.abort()
    expect(await pending).toMatchObject(cancelled)
  })

  it('reports why there was no answer', async () => {
    const { emulator, service, licenseKey } = await startService(name)
    await emulator.control.pause()
    const outcome = await service.activate({ licenseKey, ...device })
    expect(outcome).toMatchObject({ cause: 'network', httpStatus: null, detail: 'ECONNREFUSED' })
  })

  it('never puts the license key into an error', async () => {
    const { emulator, service, licenseKey } = await startService(name)
    for (const fault of ['reset', 'html', 'cut'] as const) {
      emulator.control.faults.clear()
      emulator.control.faults.inject({ fault })
      expect(JSON.stringify(await service.activate({ licenseKey, ...device }))).not.toContain(licenseKey)
    }
  })
})

describe('a request that may take a seat', () => {
  const failing = (message: string): Error =>
    new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code: message }) })
  const brokenOff = (code: string, status = 200) =>
    new Response(new ReadableStream({ start: (it) => it.error(failing(code)) }), { status })

  it.each<[what: string, answer: () => Promise<Response>, outcome: object]>([
    ...['ECONNREFUSED', 'ENOTFOUND', 'net::ERR_CONNECTION_REFUSED', 'net::ERR_NAME_NOT_RESOLVED'].map(
      (code): [string, () => Promise<Response>, object] => [
        `took none if it never connected (${code})`,
        () => Promise.reject(failing(code)),
        { mayHaveActed: false },
      ],
    ),
    ...['ECONNRESET', 'net::ERR_INTERNET_DISCONNECTED'].map(
      (code): [string, () => Promise<Response>, object] => [
        `may have taken one if its connection broke (${code})`,
        () => Promise.reject(failing(code)),
        { mayHaveActed: true },
      ],
    ),
    [
      'may have taken one if its answer broke off, regardless of the error code',
      async () => brokenOff('ECONNREFUSED'),
      { mayHaveActed: true },
    ],
    [
      'names a proxy that asks for a password by its status, even if its answer breaks off',
      async () => brokenOff('ERR_FAILED', 407),
      { cause: 'access-denied', httpStatus: 407 },
    ],
  ])('%s', async (_what, fetch, outcome) => {
    const request = { method: 'POST', url: 'https://service.example/activate', acts: true } as const
    expect(await createSend()(request, { fetch })).toMatchObject({ kind: 'unavailable', ...outcome })
  })

  it.each([
    ['ERR_CERT_DATE_INVALID', true],
    ['ERR_CONNECTION_REFUSED', false],
  ])('keeps Chromium’s code %s through the commerce service', async (code, mayHaveActed) => {
    const service = commerce({ baseUrl: 'https://service.example', accessToken: 'token' })
    const licenseKey = '0b2ef27a-4a5e-4a0c-93f5-9d9a4f0ac1d1'
    const request = { licenseKey, activationId: '5f0c56c9-90e5-4c80-8a8c-7b1a6ad3f9a4', ...device }
    const fetch = () => Promise.reject(new Error(`net::${code}`))
    const lost = { cause: 'network', detail: code, mayHaveActed }
    expect(await service.deactivate(request, { fetch })).toMatchObject(lost)
  })
})

describe('a license', () => {
  const nowMs = Date.parse('2026-06-01T00:00:00Z')
  it.each<[what: string, told: Partial<LicenseFacts>, verdict: string]>([
    ['that is active and has not ended', {}, 'valid'],
    ['that ends now', { endsAtMs: nowMs }, 'expired'],
    ['that has ended and works on', { endsAtMs: nowMs - 1, worksAfterEnd: true }, 'valid'],
    ['without end', { endsAtMs: 'never' }, 'valid'],
    ['whose end is not known', { endsAtMs: null }, 'valid'],
    ['of which only the activation is known', { status: null, endsAtMs: null }, 'valid'],
    ['that is suspended, whatever its end', { status: 'suspended', worksAfterEnd: true }, 'suspended'],
    ['that the service calls expired before its end', { status: 'expired' }, 'expired'],
    ['that is inactive', { status: 'inactive' }, 'inactive'],
  ])('%s', (_what, told, verdict) => {
    const facts: LicenseFacts = { ...nothingTold, status: 'active', endsAtMs: nowMs + 1, ...told }
    expect(readVerdict(facts, nowMs)).toBe(verdict)
  })
})
