import type { Emulator, FaceName } from '@latchkey/emulator'
import { clickToClose } from '@latchkey/scripts/e2e/click-to-close'
import { environmentFor, startServiceUnderTest } from '@latchkey/scripts/e2e/service-under-test'
import type { Page } from 'playwright'
import { expect, onTestFinished } from 'vitest'
import {
  eventually,
  type Inkwell,
  type InkwellFixtures,
  openLicensePanel,
  pasteKey,
  seatsInUse,
  test,
} from './inkwell.ts'

/** A service in its own wire format, and Inkwell with its adapter, or with the address of the gateway in front of it. */
async function sellThrough(
  face: FaceName,
  isBehindGateway: boolean,
  openInkwell: InkwellFixtures['openInkwell'],
): Promise<{ service: Emulator; open: () => Promise<Inkwell> }> {
  const { emulator, access, close } = await startServiceUnderTest('demo', { face, isBehindGateway })
  onTestFinished(close)
  const env = environmentFor(access)
  return { service: emulator, open: () => openInkwell({ env }) }
}

/** Enters a key that nobody has, and then one whose seats are all taken. */
async function expectRefusals(service: Emulator, activation: Page, listsDevices: boolean): Promise<void> {
  const last = service.licenseKey.slice(-1)
  await pasteKey(activation, service.licenseKey.slice(0, -1) + (last === '0' ? '1' : '0'))
  await activation.getByText('We couldn’t find this license key.').first().waitFor()
  expect(seatsInUse(service)).toBe(0)

  const { id } = service.demoLicense
  const names = ['Studio', 'Laptop', 'Attic']
  for (const name of names) service.control.addKey(id, `${name} [0123456789abcdef]`)
  await pasteKey(activation, service.licenseKey)
  await activation.getByText('No seats left').first().waitFor()
  if (listsDevices) {
    for (const name of names) await activation.getByText(name).first().waitFor()
  } else {
    // The window names this device as the customer portal does, and links to the portal where it's known.
    const fingerprint = activation.getByText(/\[[\da-f]{16}\]/u)
    await fingerprint.first().waitFor()
    const link = activation.getByRole('button', { name: 'Customer account' })
    expect(await link.count()).toBe(service.face === 'lemon-squeezy' ? 1 : 0)
  }
  expect(seatsInUse(service)).toBe(3)
}

/** Enters a key while the service is down, until the app has activated. */
async function activateOnceThereIsANetwork(service: Emulator, activation: Page): Promise<void> {
  const fault = service.control.faults.inject({
    fault: 'status',
    status: 503,
    operation: ['validate', 'activate'],
  })
  await pasteKey(activation, `Thank you! Your license key: ${service.licenseKey}`)
  await activation.getByText('Your key is saved').first().waitFor()
  expect(seatsInUse(service)).toBe(0)
  service.control.faults.remove(fault.id)
  await eventually(() => seatsInUse(service)).toBe(1)
}

const isLongRun = process.env['LATCHKEY_LONG'] === '1'
const faces: readonly FaceName[] = ['dodo', 'keygen', 'lemon-squeezy', 'polar']
// The app's flows differ in no code. These two differ most: one knows only its own activation, and one lists devices.
const tried: readonly (readonly [FaceName, 'alone' | 'behind a gateway'])[] = isLongRun
  ? faces.flatMap((face) => [[face, 'alone'] as const, [face, 'behind a gateway'] as const])
  : [
      ['lemon-squeezy', 'alone'],
      ['polar', 'behind a gateway'],
    ]

// One app after another goes through everything, because a start costs more than a step.
test.for(tried)(
  'an app that is sold through %s (%s) activates once there is a network, starts offline from then on, frees its seat, and takes none when refused',
  async ([face, how], { openInkwell }) => {
    const isBehindGateway = how === 'behind a gateway'
    const { service, open } = await sellThrough(face, isBehindGateway, openInkwell)
    const first = await open()
    const activation = await first.activationWindow()
    await activateOnceThereIsANetwork(service, activation)
    await clickToClose(activation.getByRole('button', { name: 'Continue' }))
    const main = await first.mainWindow()
    await openLicensePanel(main)
    const panel = main.getByRole('dialog')
    expect(await panel.locator('[data-field=status]').textContent()).toBe('Licensed')
    const shown = await panel.locator('[data-field=key]').textContent()
    expect(shown).toBe(`${service.licenseKey.slice(0, 4)}••••${service.licenseKey.slice(-4)}`)
    await first.close()

    const offline = service.control.faults.inject({ fault: 'reset' })
    const second = await open()
    const opened = await second.mainWindow()
    expect(seatsInUse(service)).toBe(1)

    service.control.faults.remove(offline.id)
    const deactivated = await opened.evaluate(() => window.latchkey.deactivate())
    expect(deactivated).toMatchObject({ ok: true, seat: 'freed' })
    expect(seatsInUse(service)).toBe(0)
    await expectRefusals(service, await second.activationWindow(), isBehindGateway || face === 'keygen')
  },
)
