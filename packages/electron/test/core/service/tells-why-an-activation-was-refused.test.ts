import { randomUUID } from 'node:crypto'
import type { LicenseInput } from '@latchkey/emulator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dialects } from '../../../../emulator/test/dialects.ts'
import { createTestDevice, startTestService, type TestService } from '../fixture.ts'

interface Case {
  readonly what: string
  readonly license: LicenseInput | null
  /** The code in each dialect of the service. They report different things, and nothing is guessed. */
  readonly codes: Readonly<Record<keyof typeof dialects, string>>
}

const past = '2020-01-01T00:00:00.000000Z'
const always = (code: string): Case['codes'] => ({ default: code, plain: code, strict: code })

const cases: readonly Case[] = [
  {
    what: 'there is no such license',
    license: null,
    codes: always('license-not-found'),
  },
  {
    what: 'no seat is left',
    license: { activation_limit: 2, keys: ['one', 'two'] },
    codes: always('no-seat-left'),
  },
  {
    what: 'the license is suspended',
    license: { suspended_at: past, keys: ['one'] },
    codes: { default: 'license-suspended', plain: 'activation-refused', strict: 'unauthorized' },
  },
  {
    what: 'the license has expired',
    license: { expires_at: past, keys: ['one'] },
    codes: { default: 'license-expired', plain: 'activation-refused', strict: 'unauthorized' },
  },
  {
    what: 'the license has a status nobody knows',
    license: { status: 'REFUNDED', keys: ['one'] },
    // The plain service sets any status to ACTIVE on activation, as the interface says.
    codes: { default: 'license-inactive', plain: 'none', strict: 'unauthorized' },
  },
  {
    what: 'the license is suspended and no key of it tells so',
    license: { suspended_at: past },
    codes: { default: 'activation-refused', plain: 'activation-refused', strict: 'unauthorized' },
  },
]

describe.each(['default', 'plain', 'strict'] as const)('with a service that speaks %s', (dialect) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({ dialect: dialects[dialect] })
  })
  afterAll(() => service.emulator.close())

  test.each(cases)('$what', async ({ license, codes }) => {
    const id = license === null ? randomUUID() : service.newLicense(license).id
    const before = license === null ? [] : service.seats(id)
    const device = createTestDevice(service)
    const result = await device.core.activate(id)
    const code = codes[dialect]
    if (code === 'none') {
      expect(result).toMatchObject({ ok: true })
      return
    }
    expect(result).toMatchObject({ ok: false, problem: { code }, state: { status: 'unlicensed' } })
    expect(device.state.problem?.code).toBe(code)
    if (license !== null) expect(service.seats(id)).toEqual(before)
    // Nothing is pending, so the user can paste another key. A list that was refused is requested a day later.
    const asked = service.asked(id).length
    expect((await device.launch()).problem).toBeNull()
    expect(service.asked(id).slice(asked)).not.toContain('activate')
  })
})

test('a seat freed elsewhere in the meantime is taken at the next try', async () => {
  const service = await startTestService()
  const license = service.newLicense({ activation_limit: 1, keys: ['other'] })
  const device = createTestDevice(service)
  expect(await device.core.activate(license.id)).toMatchObject({ problem: { code: 'no-seat-left' } })
  service.emulator.control.removeKey(license.id, service.emulator.control.keys(license.id)[0]?.id ?? '')
  expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
  await service.emulator.close()
})

test('a refusal without a known reason is reported as declined', async () => {
  const service = await startTestService()
  const license = service.newLicense({ keys: ['other'] })
  const { faults } = service.emulator.control
  faults.inject({ fault: 'status', status: 409, operation: 'activate', licenseId: license.id })
  const device = createTestDevice(service)
  const refused = { ok: false, problem: { code: 'activation-refused', httpStatus: 409 } }
  expect(await device.core.activate(license.id)).toMatchObject(refused)
  faults.inject({ fault: 'status', status: 503, operation: 'validate', licenseId: license.id })
  expect(await device.core.activate(license.id)).toMatchObject(refused)
  await service.emulator.close()
})
