import { startEmulator } from '@latchkey/emulator'
import { directAccess, type ServiceAccess } from '@latchkey/scripts/e2e/service-under-test'
import { expect, onTestFinished } from 'vitest'
import { type OpenApp, test } from '../../fixtures/open-app-test.ts'

async function startFace(face: 'polar' | 'commerce') {
  const emulator = await startEmulator({ face })
  onTestFinished(() => emulator.close())
  return { emulator, access: directAccess(emulator) }
}

/** Makes licensing with another service than the one of this run. */
async function createLicensing({ electronApp }: OpenApp, access: ServiceAccess): Promise<void> {
  await electronApp.evaluate(
    async ({ app }, { access }) => {
      await app.whenReady()
      const service =
        access.kind === 'adapter' ? globalThis.createAdapter(access.name, access.values) : access.service
      globalThis.licensing = globalThis.createLicensing({ appId: 'com.example.open', service })
      await globalThis.licensing.start()
    },
    { access },
  )
}

test('an app that moved from Polar to the commerce service asks for the new license key', async ({
  openApp,
}) => {
  const before = await startFace('polar')
  const after = await startFace('commerce')
  const activate = ({ electronApp }: OpenApp, licenseKey: string) =>
    electronApp.evaluate(async (_electron, key) => {
      const { ok, state } = await globalThis.licensing.activate(key)
      return { ok, status: state.status }
    }, licenseKey)

  const old = await openApp()
  await createLicensing(old, before.access)
  expect(await activate(old, before.emulator.licenseKey)).toEqual({ ok: true, status: 'active' })
  await old.close()

  const app = await openApp()
  await createLicensing(app, after.access)
  const state = await app.electronApp.evaluate(() => globalThis.licensing.validate())
  expect(state).toMatchObject({ status: 'grace', problem: { code: 'license-of-other-service' } })
  expect(after.emulator.control.requests()).toEqual([])
  expect(await activate(app, after.emulator.licenseKey)).toEqual({ ok: true, status: 'active' })
})
