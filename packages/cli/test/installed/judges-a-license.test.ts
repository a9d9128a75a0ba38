import { expect, test } from 'vitest'
import { emulatorForTest } from '../run-cli.ts'
import { describeLatchkey, latchkey } from './installed-cli.ts'

const dayMs = 86_400_000

async function activatedEmulator() {
  const emulator = await emulatorForTest()
  const licenseId = emulator.demoLicense.id
  const key = emulator.control.addKey(licenseId, 'Laptop')
  return { emulator, licenseId, key }
}

describeLatchkey((node) => {
  test.each([
    ['entitled', 0, 0],
    ['expired', 2 * dayMs, 1],
  ])('reports %s by the service’s clock', async (decision, shiftMs, exitCode) => {
    const { emulator, licenseId } = await activatedEmulator()
    const expires_at = new Date(Date.now() + dayMs).toISOString()
    emulator.control.updateLicense(licenseId, { expires_at })
    emulator.control.faults.inject({ fault: 'date-shift', shiftMs })
    const run = await latchkey(node, emulator, ['license', 'check', licenseId])
    expect(run).toMatchObject({ exitCode, out: expect.stringMatching(new RegExp(`^${decision}: `, 'u')) })
  })

  test('reports revoked when the key isn’t in the complete list', async () => {
    const { emulator, licenseId, key } = await activatedEmulator()
    emulator.control.removeKey(licenseId, key.id)
    const run = await latchkey(node, emulator, ['license', 'check', licenseId, '--key', key.id])
    expect(run).toMatchObject({ exitCode: 1, out: expect.stringMatching(/^revoked: /u) })
  })

  test.each(['html', 'json'] as const)(
    'never reports revoked for a 404 with %s, which a proxy can send too',
    async (body) => {
      const { emulator, licenseId, key } = await activatedEmulator()
      emulator.control.faults.inject({ fault: 'status', status: 404, body })
      const run = await latchkey(node, emulator, ['license', 'check', licenseId, '--key', key.id])
      expect(run).toMatchObject({ exitCode: 1, out: expect.stringMatching(/^undecided: /u) })
    },
  )
})
