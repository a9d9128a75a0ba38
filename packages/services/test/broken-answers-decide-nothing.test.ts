import type { FaultRule } from '@latchkey/emulator'
import { allowConcurrentTests } from '@latchkey/scripts/test/side-by-side'
import { describe, expect, it } from 'vitest'
import type { LicenseService, Outcome, ServiceCall } from '../src/index.ts'
import { device, serviceNames, startService } from './faces.ts'

allowConcurrentTests()

/** Answers of broken proxies, captive portals and services that are down. */
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
  it.each(Object.keys(verbs))('a broken proxy or portal never decides the result of *%s*', async (verb) => {
    const { emulator, service, licenseKey } = await startService(name)
    const outcome = await service.activate({ licenseKey, ...device })
    const activationId = outcome.kind === 'answer' ? outcome.value.activation.id : ''
    // The signature covers the empty body, so it proves that the seat is free.
    const isSignedAndEmpty = verb === 'deactivate' && service.capabilities.signsItsAnswers
    for (const rule of faults) {
      if (isSignedAndEmpty && (rule.fault === 'truncated' || rule.fault === 'cut')) continue
      emulator.control.faults.clear()
      emulator.control.faults.inject(rule)
      // Only a silent service may time out. Elsewhere a timeout would hide how the answer is read.
      const timeoutMs = rule.fault === 'timeout' ? 400 : 20_000
      const result = await verbs[verb]?.(service, { licenseKey, activationId }, { timeoutMs })
      expect(result, JSON.stringify(rule)).toMatchObject({ kind: 'unavailable' })
    }
  })

  it('reports that a seat may be taken when the answer to *activate* is lost', async () => {
    const { emulator, service, licenseKey, licenseId } = await startService(name)
    const rule = { fault: 'reset', operation: 'activate', when: 'after-acting' } as const
    emulator.control.faults.inject(rule)
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

  it('can be aborted before and during a request', async () => {
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
