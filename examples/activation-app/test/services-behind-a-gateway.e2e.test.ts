import type { Emulator, FaceName } from '@latchkey/emulator'
import { startServiceUnderTest } from '@latchkey/scripts/e2e/service-under-test'
import { describe, expect, onTestFinished } from 'vitest'
import {
  activateInkwell,
  environmentFor,
  eventually,
  type Inkwell,
  type InkwellFixtures,
  pasteKey,
  seatsInUse,
  test,
} from './inkwell.ts'

/** A service in its own wire format, the vendor's installed gateway, and Inkwell with the gateway's address. */
async function sellThrough(
  face: FaceName,
  openInkwell: InkwellFixtures['openInkwell'],
): Promise<{ service: Emulator; open: () => Promise<Inkwell> }> {
  const { emulator, access, close } = await startServiceUnderTest('demo', { face, isBehindGateway: true })
  onTestFinished(close)
  const env = environmentFor(access)
  return { service: emulator, open: () => openInkwell({ env }) }
}

const isLongRun = process.env['LATCHKEY_LONG'] === '1'
// One service with keys of its own form stands for the others, whose flows differ in no code of the app.
const faces: readonly FaceName[] = isLongRun
  ? ['dodo', 'keygen', 'lemon-squeezy', 'polar']
  : ['polar', 'dodo']

describe.each(faces)('an app behind a gateway in front of %s', (face) => {
  test('takes one seat, shows the devices when every seat is taken, and is deactivated', async ({
    openInkwell,
  }) => {
    const { service, open } = await sellThrough(face, openInkwell)
    const { id } = service.demoLicense
    const first = await open()
    await activateInkwell(first, `Thank you! Your license key: ${service.licenseKey}`)
    expect(seatsInUse(service)).toBe(1)
    await first.close()

    const second = await open()
    const main = await second.mainWindow()
    await eventually(() => main.evaluate(() => window.latchkey.getState())).toMatchObject({
      status: 'active',
      problem: null,
    })
    expect(seatsInUse(service)).toBe(1)
    expect(await main.evaluate(() => window.latchkey.deactivate())).toMatchObject({ ok: true, seat: 'freed' })
    expect(seatsInUse(service)).toBe(0)

    for (const name of ['Studio', 'Laptop', 'Attic']) service.control.addKey(id, `${name} [0123456789abcdef]`)
    const activation = await second.activationWindow()
    await pasteKey(activation, service.licenseKey)
    await activation.getByText('No seats left').first().waitFor()
    for (const name of ['Studio', 'Laptop', 'Attic']) await activation.getByText(name).first().waitFor()
    expect(seatsInUse(service)).toBe(3)
  })
})
