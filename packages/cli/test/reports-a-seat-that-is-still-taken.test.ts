import { type Emulator, startEmulator } from '@latchkey/emulator'
import { onTestEnd } from '@latchkey/scripts/test/side-by-side'
import { type ServiceName, serviceSettings } from '@latchkey/services/environment'
import { expect, test } from 'vitest'
import { runCli } from './run-cli.ts'

/** An emulated service with an activated device, and a function that releases the device. */
async function startWithDevice(face: ServiceName) {
  const emulator = await startEmulator({ face, accessToken: 'secret' })
  onTestEnd(() => emulator.close())
  const { control, licenseKey, demoLicense } = emulator
  control.addKey(demoLicense.id, 'Laptop [0123456789abcdef]')
  const env = environmentOf(face, emulator)
  const listed = await runCli(emulator, ['--json', 'keys', 'list', licenseKey], { env })
  const [key] = JSON.parse(listed.out).keys
  return {
    control,
    licenseId: demoLicense.id,
    release: () => runCli(emulator, ['keys', 'release', licenseKey, key.id], { env }),
  }
}

function environmentOf(face: ServiceName, emulator: Emulator): Record<string, string> {
  const values: Record<string, string | undefined> = { ...emulator.settings, baseUrl: emulator.baseUrl }
  const variables = serviceSettings[face].variables.flatMap(({ name, option, isSecret }) => {
    const value = isSecret ? 'secret' : values[option]
    return value === undefined ? [] : [[name, value]]
  })
  return { LATCHKEY_SERVICE: face, ...Object.fromEntries(variables) }
}

test('doesn’t report a seat as released while the service still lists it', async () => {
  const { control, licenseId, release } = await startWithDevice('lemon-squeezy')
  // The first validation shows the license, and the next one denies the device that the service lists.
  control.faults.inject({ fault: 'status', status: 404, operation: 'deactivate' })
  control.faults.inject({
    fault: 'set-fields',
    fields: { valid: false },
    operation: 'validate',
    after: 1,
    times: 1,
  })
  expect(await release()).toEqual({
    exitCode: 6,
    out: '',
    err: 'latchkey: The seat is still taken. The service refused to release it.\n',
  })
  expect(control.keys(licenseId)).toHaveLength(1)
})

test('says that the seat of an expired license is still taken when the release is refused', async () => {
  const { control, licenseId, release } = await startWithDevice('dodo')
  control.expire(licenseId)
  control.faults.inject({ fault: 'status', status: 403, operation: 'deactivate' })
  const { exitCode, out, err } = await release()
  expect({ exitCode, out }).toEqual({ exitCode: 4, out: '' })
  expect(err).toContain('The seat is still taken. ')
  expect(control.keys(licenseId)).toHaveLength(1)
})

test('says that the seat may still be taken when the list can’t be read afterwards', async () => {
  const { control, release } = await startWithDevice('dodo')
  control.faults.inject({ fault: 'status', status: 403, operation: 'deactivate' })
  // The list has two pages, and the second one is empty.
  control.faults.inject({ fault: 'status', status: 503, operation: 'keys', after: 2 })
  const { exitCode, err } = await release()
  expect(exitCode).toBe(4)
  expect(err).toContain('The seat may still be taken. Check it with keys list.')
})

test('says that the seat may still be taken when the list is from a cache', async () => {
  const { control, licenseId, release } = await startWithDevice('dodo')
  control.faults.inject({ fault: 'status', status: 403, operation: 'deactivate' })
  // The list has two pages, and is read before and after.
  control.faults.inject({ fault: 'set-fields', fields: { items: [] }, operation: 'keys', after: 2 })
  control.faults.inject({ fault: 'set-fields', fields: { instances_count: 0 }, operation: 'key' })
  control.faults.inject({ fault: 'date-shift', shiftMs: -86_400_000, operation: 'keys' })
  const { exitCode, err } = await release()
  expect(exitCode).toBe(4)
  expect(err).toContain('The seat may still be taken.')
  expect(control.keys(licenseId)).toHaveLength(1)
})

test('releases a device that the service no longer lists after it refused', async () => {
  const { control, licenseId, release } = await startWithDevice('lemon-squeezy')
  control.faults.inject({ fault: 'status', status: 404, operation: 'deactivate', when: 'after-acting' })
  expect(await release()).toMatchObject({ exitCode: 0, out: expect.stringContaining('Released Laptop') })
  expect(control.keys(licenseId)).toEqual([])
})
