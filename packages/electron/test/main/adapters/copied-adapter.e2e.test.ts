import { startEmulator } from '@latchkey/emulator'
import { directAccess } from '@latchkey/scripts/e2e/service-under-test'
import { expect, onTestFinished } from 'vitest'
import { test } from '../../fixtures/open-app-test.ts'

test('a copy of an adapter asks the address of the first one, and the log names both', async ({
  openApp,
}) => {
  const emulator = await startEmulator({ face: 'polar' })
  onTestFinished(() => emulator.close())
  const access = directAccess(emulator)
  const values = access.kind === 'adapter' ? access.values : {}
  const app = await openApp()
  const logged = await app.electronApp.evaluate(
    async (_electron, { values, licenseKey }) => {
      const lines: string[] = []
      const warn = (message: string): void => void lines.push(message)
      const logger = { debug() {}, info() {}, warn, error: warn }
      const service = { ...globalThis.createAdapter('polar', values), baseUrl: 'http://127.0.0.1:9' }
      globalThis.licensing = globalThis.createLicensing({ appId: 'com.example.open', service, logger })
      await globalThis.licensing.activate(licenseKey)
      return lines
    },
    { values, licenseKey: emulator.licenseKey },
  )
  expect(emulator.control.requests()).not.toEqual([])
  expect(logged).toEqual([
    expect.stringContaining(
      `The polar adapter asks ${emulator.origin}, not its baseUrl, http://127.0.0.1:9.`,
    ),
  ])
})
