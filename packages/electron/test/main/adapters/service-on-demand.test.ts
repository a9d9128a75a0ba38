import { expect, test } from 'vitest'
import type { ServicePort } from '../../../src/core/ports/service-port.ts'
import { createServiceOnDemand } from '../../../src/main/adapters/service/service-on-demand.ts'

const answer = { value: [], serverDateMs: null }

function slowService() {
  const calls: string[] = []
  const loads: { finish: () => void; fail: (error: Error) => void }[] = []
  const refuse = async () => {
    throw new Error('not asked for here')
  }
  const loaded: ServicePort = {
    keys: async (licenseId) => {
      calls.push(`keys ${licenseId}`)
      return answer
    },
    activate: refuse,
    validate: refuse,
    deactivate: refuse,
    end: () => void calls.push('end'),
  }
  const service = createServiceOnDemand({
    showsActivations: false,
    load: () => new Promise((resolve, reject) => loads.push({ finish: () => resolve(loaded), fail: reject })),
  })
  return { service, calls, loads }
}

test('a service is loaded at the first request, and once for all of them', async () => {
  const { service, calls, loads } = slowService()
  expect(loads).toHaveLength(0)
  const both = Promise.all([service.keys('one'), service.keys('two')])
  loads[0]?.finish()
  expect(await both).toEqual([answer, answer])
  await service.keys('three')
  expect(loads).toHaveLength(1)
  expect(calls).toEqual(['keys one', 'keys two', 'keys three'])
})

test('a service that fails to load fails the request, and the next request loads it again', async () => {
  const { service, calls, loads } = slowService()
  const failed = service.keys('one')
  loads[0]?.fail(new Error('no such file'))
  await expect(failed).rejects.toThrow('no such file')
  const next = service.keys('two')
  loads[1]?.finish()
  expect(await next).toBe(answer)
  expect(calls).toEqual(['keys two'])
})

test('an app that quits while a service loads cancels its requests as soon as it is there', async () => {
  const { service, calls, loads } = slowService()
  const pending = service.keys('one')
  service.end?.()
  loads[0]?.finish()
  await pending
  expect(calls[0]).toBe('end')
  expect(calls.at(-1)).toBe('keys one')
})

test('an app that quits without having asked a service does not load it', () => {
  const { service, loads } = slowService()
  service.end?.()
  expect(loads).toHaveLength(0)
})

test('what decides about a record is known before the service is loaded', () => {
  const load = async (): Promise<never> => {
    throw new Error('not loaded for this')
  }
  const options = { showsActivations: true, load }
  expect(createServiceOnDemand({ ...options, ids: 'uuid' })).toMatchObject({ ids: 'uuid' })
  expect(createServiceOnDemand({ ...options, name: 'polar' })).toMatchObject({ name: 'polar' })
})
