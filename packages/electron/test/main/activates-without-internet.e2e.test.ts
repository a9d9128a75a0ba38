import { cp } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'vitest'
import { expectAccessible } from '../fixtures/expect-accessible.ts'
import { startOfflineVendor } from '../fixtures/offline-vendor.ts'
import { type OpenApp, test } from '../fixtures/open-app-test.ts'
import { openOnOtherDevice } from '../fixtures/other-device.ts'

const requestOn = (app: OpenApp, key: string) =>
  app.electronApp.evaluate(async (_electron, text) => {
    const request = await globalThis.licensing.createOfflineRequest(text)
    if (!request.ok) throw new Error(request.problem.code)
    return request
  }, key)

const activateWith = (app: OpenApp, answer: string) =>
  app.electronApp.evaluate(async (_electron, text) => {
    const result = await globalThis.licensing.activateOffline(text)
    return result.ok ? result.state.status : result.problem.code
  }, answer)

test('a computer without internet is activated from the page on another device', async ({
  emulator,
  openApp,
  userDataPath,
}) => {
  const { url, leaseKeys } = await startOfflineVendor(emulator)
  const { face, licenseKey } = emulator
  const { id } = emulator.demoLicense
  for (const name of ['Old laptop', 'Studio', 'Lab']) emulator.control.addKey(id, name)
  const app = await openApp()
  // Nothing answers there.
  const baseUrl = 'http://127.0.0.1:1/v1'
  const serviceAt = (address: string) =>
    face === 'commerce' ? { baseUrl: address } : { baseUrl: address, licenseKeys: 'any' as const }
  const device = { id: 'the-computer' }
  const offline = { service: serviceAt(baseUrl), leaseKeys, offlineActivation: { url }, device }
  await app.createLicensing(offline)
  const { link, text } = await requestOn(app, licenseKey)

  // By the link of the QR code, where every seat is in use.
  const page = await openOnOtherDevice(app, link)
  await page.getByRole('heading', { name: 'Activate this computer?' }).waitFor()
  expect(page.url()).toBe(url)
  const shown = await page.locator('main').textContent()
  expect(shown).toContain(`${licenseKey.slice(0, 4)}••••${licenseKey.slice(-4)}`)
  expect(shown).not.toContain(licenseKey)
  await expectAccessible(page)
  // A proxy that answers in place of the gateway.
  await page.route(url, (route) => route.fulfill({ status: 504, json: { message: 'Request timed out' } }))
  await page.getByRole('button', { name: 'Activate' }).click()
  await expect.poll(() => page.getByRole('alert').textContent()).toContain('couldn’t reach')
  await page.unroute(url)
  await page.getByRole('button', { name: 'Continue' }).click()
  const seatsInUse = page.getByRole('heading', { name: 'All seats of this license are in use' })
  if (face === 'commerce') {
    // A token that may not list the devices.
    emulator.control.faults.inject({ fault: 'status', status: 403, operation: 'keys' })
    await page.getByRole('button', { name: 'Activate' }).click()
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('without internet')
    emulator.control.faults.clear()
    await page.getByRole('button', { name: 'Continue' }).click()
  }
  await page.getByRole('button', { name: 'Activate' }).click()
  await seatsInUse.waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: /Old laptop/u }).click()
  await page.getByLabel('Text of the answer').waitFor()
  await expectAccessible(page)
  const answer = await page.getByLabel('Text of the answer').inputValue()
  await expect
    .poll(() => page.locator('img').evaluate((image: HTMLImageElement) => image.naturalWidth))
    .toBeGreaterThan(0)

  expect(await activateWith(app, answer)).toBe('active')
  expect(emulator.control.keys(id)).toHaveLength(3)
  expect(await activateWith(app, answer)).toBe('offline-answer-used')

  // Another link in the same tab.
  await page.goto(link)
  await page.getByRole('heading', { name: 'Activate this computer?' }).waitFor()
  expect(page.url()).toBe(url)

  // By text in another language, and then by file.
  await page.getByRole('button', { name: 'Start over' }).click()
  await page.getByLabel('Or paste the text').fill('something else')
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect.poll(() => page.getByRole('alert').textContent()).toContain('isn’t a request')
  expect(await page.getByLabel('Or paste the text').inputValue()).toBe('something else')
  await expectAccessible(page)
  await page
    .getByLabel('Choose file')
    .setInputFiles({ name: 'request.latchkey', mimeType: 'text/plain', buffer: Buffer.from(text) })
  await page.getByRole('button', { name: 'Activate' }).click()
  await page.getByLabel('Text of the answer').waitFor()
  expect(emulator.control.keys(id)).toHaveLength(3)
  const restart = async (options: Parameters<typeof app.createLicensing>[0], daysAhead = 0) => {
    await app.electronApp.evaluate(async (_electron, days) => {
      await globalThis.licensing.dispose()
      const now = globalThis.systemNow ?? Date.now
      globalThis.systemNow = now
      Date.now = () => now() + days * 86_400_000
    }, daysAhead)
    await app.createLicensing(options)
    return app.electronApp.evaluate(async () => (await globalThis.licensing.start()).status)
  }
  // The answer ends after 30 days, and setting the clock back gains nothing.
  expect(await restart(offline)).toBe('active')
  // A copy of the record counts for nothing on another computer.
  await app.electronApp.evaluate(() => globalThis.licensing.dispose())
  const directory = path.join(userDataPath, 'copied')
  await cp(path.join(userDataPath, 'latchkey'), directory, { recursive: true })
  expect(await restart({ ...offline, directory })).toBe('active')
  // The app tells computers apart by their ID here, because this machine has only one.
  await restart({ ...offline, directory, device: { id: 'another-computer' } })
  await expect
    .poll(() => app.electronApp.evaluate(() => globalThis.licensing.state.status))
    .toBe('unlicensed')
  expect(await restart(offline, 31)).toBe('unverified')
  expect(await restart(offline)).toBe('unverified')

  // An online check takes over, with the same seat.
  await restart({ ...offline, service: serviceAt(url.replace('/offline', '')) })
  expect(await app.electronApp.evaluate(async () => (await globalThis.licensing.validate()).status)).toBe(
    'active',
  )
  expect(emulator.control.keys(id)).toHaveLength(3)
})
