import { startEmulator } from '@latchkey/emulator'
import { startGatewayInFront } from '@latchkey/scripts/e2e/service-under-test'
import { expect, onTestFinished } from 'vitest'
import { activateInkwell, environmentFor, eventually, seatsInUse, test } from './inkwell.ts'

test('behind a gateway, an app activates without a token, and then accepts no other server', async ({
  openInkwell,
  emulator,
}) => {
  const { access, operations, forget, stop } = await startGatewayInFront(emulator)
  onTestFinished(stop)
  const env = environmentFor(access)
  const first = await openInkwell({ env })
  await activateInkwell(first, emulator.licenseKey)
  await first.close()
  expect(seatsInUse(emulator)).toBe(1)

  forget()
  const second = await openInkwell({ env })
  const main = await second.mainWindow()
  await eventually(operations).toEqual(['validate'])
  await eventually(() => main.evaluate(() => window.latchkey.getState())).toMatchObject({
    status: 'active',
    problem: null,
  })
  await second.close()
  await stop()

  // An attacker's server in place of the gateway: it knows no key and can't sign.
  const impostor = await startEmulator({
    port: Number(new URL(access.service.baseUrl).port),
    accessToken: null,
  })
  onTestFinished(() => impostor.close())
  const third = await openInkwell({ env })
  const warned = await third.mainWindow()
  await eventually(() => warned.evaluate(() => window.latchkey.getState())).toMatchObject({
    status: 'grace',
    entitled: true,
    problem: { code: 'untrusted-answer' },
  })
})
