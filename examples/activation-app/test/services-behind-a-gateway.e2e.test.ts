import { type Emulator, type FaceName, startEmulator } from '@latchkey/emulator'
import { generateLeaseKeys, startInstalledGateway } from '@latchkey/scripts/packages/start-installed-gateway'
import { serviceSettings } from '@latchkey/services/environment'
import { describe, expect, onTestFinished } from 'vitest'
import {
  activateInkwell,
  eventually,
  type Inkwell,
  type InkwellFixtures,
  pasteKey,
  seatsInUse,
  test,
} from './inkwell.ts'

type ServiceFace = Exclude<FaceName, 'commerce'>

/** The environment of a vendor's gateway in front of a service, with the vendor's secret. */
function environmentOf(face: ServiceFace, { baseUrl, settings }: Emulator): Record<string, string> {
  const values: Record<string, string | undefined> = { ...settings, baseUrl }
  const variables = serviceSettings[face].variables.flatMap(({ name, option, isSecret, isRequired }) => {
    const value = isSecret && isRequired ? 'demo' : values[option]
    return value === undefined ? [] : [[name, value]]
  })
  return { LATCHKEY_SERVICE: face, ...Object.fromEntries(variables) }
}

/** A service in its own wire format, the vendor's installed gateway, and Inkwell with the gateway's address. */
async function sellThrough(
  face: ServiceFace,
  openInkwell: InkwellFixtures['openInkwell'],
): Promise<{ service: Emulator; open: () => Promise<Inkwell> }> {
  const service = await startEmulator({ face })
  onTestFinished(() => service.close())
  const { signingKey, leaseKeys } = await generateLeaseKeys()
  const gateway = await startInstalledGateway({
    ...environmentOf(face, service),
    LATCHKEY_SIGNING_KEY: signingKey,
  })
  onTestFinished(gateway.stop)
  const env = {
    LATCHKEY_SERVICE_URL: gateway.baseUrl,
    LATCHKEY_SERVICE_TOKEN: undefined,
    LATCHKEY_LICENSE_KEYS: 'any',
    LATCHKEY_LEASE_KEYS: leaseKeys,
  }
  return { service, open: () => openInkwell({ env }) }
}

const isLongRun = process.env['LATCHKEY_LONG'] === '1'
// One service with keys of its own form stands for the others, whose flows differ in no code of the app.
const faces: readonly ServiceFace[] = isLongRun
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
