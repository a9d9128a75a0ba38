import { rm } from 'node:fs/promises'
import { type Emulator, startEmulator } from '@latchkey/emulator'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from 'vitest'
import { test } from '../../../scripts/e2e/app-test.ts'
import { buildOpenApp } from './fixtures/build-open-app.ts'

let appPath: string
let emulator: Emulator

beforeAll(async () => {
  appPath = await buildOpenApp()
})
afterAll(() => rm(appPath, { recursive: true, force: true }))
beforeEach(async () => {
  emulator = await startEmulator({ accessToken: 'demo' })
})
afterEach(() => emulator.close())

describe('the activation window', () => {
  test('opens once, however often it is asked for', async ({ launch }) => {
    const { electronApp, firstWindow } = await launch({ appPath })
    await electronApp.evaluate(
      async (_electron, service) => {
        globalThis.licensing = globalThis.createLicensing({ appId: 'com.example.open', service })
        await Promise.all([
          globalThis.licensing.openActivationWindow(),
          globalThis.licensing.openActivationWindow(),
        ])
      },
      { baseUrl: emulator.baseUrl, accessToken: 'demo' },
    )
    const page = await firstWindow()
    await page.waitForTimeout(1500)
    await page.screenshot({ path: '/tmp/shot.png' })
    console.log(await page.title(), page.url(), await page.content())
  })
})
