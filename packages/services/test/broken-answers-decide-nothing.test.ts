import type { FaultRule } from '@latchkey/emulator'
import { allowConcurrentTests } from '@latchkey/scripts/test/side-by-side'
import { describe, expect, it } from 'vitest'
import type { LicenseService, Outcome, ServiceCall } from '../src/index.ts'
import { device, serviceNames, startService } from './faces.ts'

allowConcurrentTests()

/** What a broken box, a portal or a service that is down can send. */
const faults: readonly FaultRule[] = [
  { fault: 'reset' },
  { fault: 'timeout' },
  { fault: 'html' },
  { fault: 'empty' },
  { fault: 'no-content' },
  { fault: 'redirect' },
  { fault: 'redirect', to: 'https://portal.example' },
  { fault: 'huge-body', bytes: 4 * 1024 * 1024 },
  { fault: 'gzip-bomb', bytes: 16 * 1024 * 1024 },
  { fault: 'truncated' },
  { fault: 'cut' },
  ...[400, 401, 402, 403, 404, 407, 408, 409, 410, 418, 422, 425, 429, 451, 500, 502, 503, 504].flatMap(
    (status): FaultRule[] => [
      { fault: 'status', status },
      { fault: 'status', status, body: 'html' },
      { fault: 'status', status, body: 'empty' },
    ],
  ),
]

const verbs: Readonly<
  Record<
    string,
    (
      service: LicenseService,
      ids: { licenseKey: string; activationId: string },
      call: ServiceCall,
    ) => Promise<Outcome<unknown>>
  >
> = {
  activate: (service, { licenseKey }, call) => service.activate({ licenseKey, ...device }, call),
  validate: (service, ids, call) => service.validate({ ...ids, ...device }, call),
  deactivate: (service, ids, call) => service.deactivate({ ...ids, ...device }, call),
}

describe.concurrent.each(serviceNames)('%s', (name) => {
  it.each(Object.keys(verbs))('*%s* is never refused or answered by something in between', async (verb) => {
    const { emulator, service, licenseKey } = await startService(name)
    const outcome = await service.activate({ licenseKey, ...device })
    const activationId = outcome.kind === 'answer' ? outcome.value.activation.id : ''
    // An empty body that is signed can't be cut short: the seat is free, and that is proven.
    const isSignedAndEmpty = verb === 'deactivate' && service.capabilities.signsItsAnswers
    for (const rule of faults) {
      if (isSignedAndEmpty && (rule.fault === 'truncated' || rule.fault === 'cut')) continue
      emulator.control.faults.clear()
      emulator.control.faults.inject(rule)
      // Only a silent service may end in a timeout: elsewhere it would hide what an answer is read as.
      const timeoutMs = rule.fault === 'timeout' ? 400 : 20_000
      const result = await verbs[verb]?.(service, { licenseKey, activationId }, { timeoutMs })
      expect(result, JSON.stringify(rule)).toMatchObject({ kind: 'unavailable' })
    }
  })

  it('a lost answer to *activate* leaves open whether a seat was taken', async () => {
    const { emulator, service, licenseKey, licenseId } = await startService(name)
    const rule = { fault: 'reset', operation: 'activate', when: 'after-acting' } as const
    emulator.control.faults.inject(rule)
    const outcome = await service.activate({ licenseKey, ...device })
    expect(outcome).toMatchObject({ kind: 'unavailable', cause: 'network', mayHaveActed: true })
    expect(emulator.control.keys(licenseId)).toHaveLength(1)
  })

  it('follows no redirect, which would carry the license key elsewhere', async () => {
    const { emulator, service, licenseKey } = await startService(name)
    emulator.control.faults.inject({ fault: 'redirect', status: 307 })
    const outcome = await service.activate({ licenseKey, ...device })
    expect(outcome).toMatchObject({ kind: 'unavailable', cause: 'redirected', httpStatus: 307 })
    expect(emulator.control.requests()).toHaveLength(1)
  })

  it('says when to come back', async () => {
    const { emulator, service, licenseKey } = await startService(name)
    emulator.control.faults.inject({ fault: 'status', status: 429, retryAfterSeconds: 7 })
    const outcome = await service.validate({
      licenseKey,
      activationId: 'b6724bc8-0000-4000-8000-000000000000',
      ...device,
    })
    expect(outcome).toMatchObject({
      cause: 'rate-limited',
      httpStatus: 429,
      retryAfterMs: 7000,
      mayHaveActed: false,
    })
  })

  it('ends when its caller wants it, before and during a request', async () => {
    const { emulator, service, licenseKey } = await startService(name)
    const aborted = AbortSignal.abort()
    expect(await service.activate({ licenseKey, ...device }, { signal: aborted })).toMatchObject({
      kind: 'unavailable',
      cause: 'cancelled',
    })
    expect(emulator.control.requests()).toEqual([])
    emulator.control.faults.inject({ fault: 'timeout' })
    const controller = new AbortController()
    const pending = service.activate({ licenseKey, ...device }, { signal: controller.signal })
    while (emulator.control.requests().length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    controller.abort()
    expect(await pending).toMatchObject({ kind: 'unavailable', cause: 'cancelled' })
  })

  it('says why nothing came', async () => {
    const { emulator, service, licenseKey } = await startService(name)
    await emulator.control.pause()
    const outcome = await service.activate({ licenseKey, ...device })
    expect(outcome).toMatchObject({ cause: 'network', httpStatus: null, detail: 'ECONNREFUSED' })
  })

  it('shows no license key in what it says of a failure', async () => {
    const { emulator, service, licenseKey } = await startService(name)
    for (const fault of ['reset', 'html', 'cut'] as const) {
      emulator.control.faults.clear()
      emulator.control.faults.inject({ fault })
      expect(JSON.stringify(await service.activate({ licenseKey, ...device }))).not.toContain(licenseKey)
    }
  })
})
