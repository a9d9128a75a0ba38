import { expect, it } from 'vitest'
import { dialects } from '../../../emulator/test/dialects.ts'
import { readVerdict } from '../../src/index.ts'
import { answerOf, device, listOf, startActivated, startService } from '../emulated-services.ts'

it.each([
  ['not-found', 404],
  ['rejected', 422],
  ['access-denied', 403],
  ['rate-limited', 429],
  ['server-error', 503],
  ['redirected', 302],
])('reads "%s" from a status alone (%i), and no reason', async (cause, status) => {
  const { emulator, service, licenseKey } = await startService('commerce')
  emulator.control.faults.inject({ fault: 'status', status })
  expect(await service.activate({ licenseKey, ...device })).toMatchObject({
    kind: 'unavailable',
    cause,
    httpStatus: status,
  })
})

it.each([
  ['suspended', { suspended_at: '2026-01-01T00:00:00Z' }],
  ['inactive', { status: 'CANCELED' }],
  ['expired', { expires_at: '2026-01-01T00:00:00Z' }],
] as const)('answers an unusable license with its facts: %s', async (verdict, patch) => {
  const { emulator, service, licenseId, request } = await startActivated('commerce')
  emulator.control.updateLicense(licenseId, patch)
  const { license } = answerOf(await service.validate(request))
  expect(readVerdict(license, Date.now())).toBe(verdict)
})

it('ignores an answer about another license or activation', async () => {
  const { emulator, service, request } = await startActivated('commerce')
  const other = '11111111-1111-4111-8111-111111111111'
  for (const field of ['license.id', 'key.id']) {
    emulator.control.faults.clear()
    emulator.control.faults.inject({ fault: 'set-fields', fields: { [field]: other } })
    expect(await service.validate(request)).toMatchObject({ kind: 'unavailable', cause: 'unexpected-answer' })
  }
})

it('counts a success without a body as done when the list confirms it', async () => {
  const { emulator, service, licenseId, request } = await startActivated('commerce')
  emulator.control.faults.inject({ fault: 'no-content', operation: 'deactivate', times: 1 })
  expect(await service.deactivate(request)).toMatchObject({ kind: 'unavailable', mayHaveActed: true })
  emulator.control.faults.inject({ fault: 'no-content', operation: 'deactivate', when: 'after-acting' })
  expect(await service.deactivate(request)).toMatchObject({ kind: 'answer' })
  expect(emulator.control.keys(licenseId)).toEqual([])
})

it('doesn’t count it as done when the list is incomplete', async () => {
  const { emulator, service, licenseId, request } = await startActivated('commerce')
  emulator.control.addKey(licenseId, 'Other')
  const { faults } = emulator.control
  faults.inject({ fault: 'no-content', operation: 'deactivate' })
  faults.inject({ fault: 'missing-fields', operation: 'keys', fields: ['data.0.id'] })
  const outcome = await service.deactivate(request)
  expect(outcome).toMatchObject({ kind: 'unavailable', mayHaveActed: true })
})

it.each([
  ['the list', [0, 0]],
  ['one of its pages', [1, 1]],
])('doesn’t count it as done when %s is from a cache', async (_what, [after = 0, times = 0]) => {
  const { emulator, service, licenseKey, licenseId } = await startService('commerce', {
    dialect: dialects.strict,
  })
  emulator.control.updateLicense(licenseId, { activation_limit: 100 })
  const { activation } = answerOf(await service.activate({ licenseKey, ...device }))
  for (let number = 0; number < 60; number += 1) emulator.control.addKey(licenseId, `Device ${number}`)
  const { faults } = emulator.control
  faults.inject({ fault: 'no-content', operation: 'deactivate', when: 'after-acting' })
  faults.inject({
    fault: 'date-shift',
    shiftMs: -86_400_000,
    operation: 'keys',
    ...(times > 0 && { after, times }),
  })
  const outcome = await service.deactivate({ licenseKey, activationId: activation.id, ...device })
  expect(emulator.control.requests().filter(({ operation }) => operation === 'keys')).toHaveLength(3)
  expect(outcome).toMatchObject({ kind: 'unavailable', mayHaveActed: true })
})

it('knows a list that fills its pages as complete only if the license counts as many devices', async () => {
  const { emulator, service, licenseKey, licenseId } = await startService('commerce')
  emulator.control.updateLicense(licenseId, { activation_limit: 100 })
  for (let number = 0; number < 50; number += 1) emulator.control.addKey(licenseId, `Device ${number}`)
  expect(await listOf(service, licenseKey)).toMatchObject({ isWhole: true })
  const fields = { 'license.activation_usage': 51 }
  emulator.control.faults.inject({ fault: 'set-fields', operation: 'validate', fields })
  expect(await listOf(service, licenseKey)).toMatchObject({ isWhole: false })
})

it('passes headers to a gateway, and its response headers back', async () => {
  const { emulator, service, licenseKey } = await startService('commerce')
  const seen: number[] = []
  const call = {
    headers: { 'latchkey-nonce': 'abc' },
    onResponse: ({ status }: { status: number }) => seen.push(status),
  }
  await service.activate({ licenseKey, ...device }, call)
  expect(seen).toEqual([200])
  expect(emulator.control.requests()[0]?.headers).toMatchObject({ 'latchkey-nonce': 'abc' })
})

it('shows one activation, and refuses one that is gone', async () => {
  const { emulator, service, licenseId, activation, request } = await startActivated('commerce')
  expect(await service.showActivation?.(request)).toMatchObject({ kind: 'answer', value: activation })
  emulator.control.removeKey(licenseId, activation.id)
  expect(await service.showActivation?.(request)).toMatchObject({ cause: 'not-found', mayHaveActed: false })
})

it('ignores an activation other than the requested one', async () => {
  const { emulator, service, request } = await startActivated('commerce')
  emulator.control.faults.inject({
    fault: 'set-fields',
    fields: { 'data.id': '11111111-1111-4111-8111-111111111111' },
  })
  const outcome = await service.showActivation?.(request)
  expect(outcome).toMatchObject({ kind: 'unavailable', cause: 'unexpected-answer' })
})

it.each([['truncated'], ['cut']] as const)('reports an answer that breaks off (%s)', async (fault) => {
  const { emulator, service, licenseKey } = await startService('commerce')
  emulator.control.faults.inject({ fault })
  expect(await service.activate({ licenseKey, ...device })).toMatchObject({
    kind: 'unavailable',
    cause: 'incomplete-answer',
    mayHaveActed: true,
  })
})

it('keeps a status that it does not know', async () => {
  const { emulator, service, licenseId, request } = await startActivated('commerce')
  emulator.control.updateLicense(licenseId, { status: 'ON_HOLD' })
  const { license } = answerOf(await service.validate(request))
  expect(license).toMatchObject({ status: 'inactive', rawStatus: 'ON_HOLD' })
})

it('reads the plan and the features that a gateway adds', async () => {
  const { emulator, service, licenseKey } = await startService('commerce')
  const fields = { 'license.plan': 'pro', 'license.features': ['export'] }
  emulator.control.faults.inject({ fault: 'set-fields', fields })
  const { license } = answerOf(await service.activate({ licenseKey, ...device }))
  expect(license).toMatchObject({ plan: 'pro', features: ['export'] })
})
