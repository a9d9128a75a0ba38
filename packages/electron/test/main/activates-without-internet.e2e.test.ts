import axe from 'axe-core'
import type { Page } from 'playwright'
import { expect } from 'vitest'
import { startOfflineVendor } from '../fixtures/offline-vendor.ts'
import { type OpenApp, test } from '../fixtures/open-app-test.ts'
import { openOnOtherDevice } from '../fixtures/other-device.ts'

/** Whether axe finds nothing on the page, light or dark. */
async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    const found = await page.evaluate(async () =>
      (await window.axe.run()).violations.map(({ id, nodes }) => `${id} ${nodes.map(({ html }) => html)}`),
    )
    expect(found, colorScheme).toEqual([])
  }
}

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
}) => {
  const { url, leaseKeys } = await startOfflineVendor(emulator)
  const { face, licenseKey } = emulator
  const { id } = emulator.demoLicense
  for (const name of ['Old laptop', 'Studio', 'Lab']) emulator.control.addKey(id, name)
  const app = await openApp()
  // Nothing answers there.
  const baseUrl = 'http://127.0.0.1:1/v1'
  const service = face === 'commerce' ? { baseUrl } : { baseUrl, licenseKeys: 'any' as const }
  await app.createLicensing({ service, leaseKeys, offlineActivation: { url } })
  const { link, text } = await requestOn(app, licenseKey)

  // By the link of the QR code, where every seat is in use.
  const page = await openOnOtherDevice(app, link)
  await page.getByRole('heading', { name: 'Activate this computer?' }).waitFor()
  expect(page.url()).toBe(url)
  const shown = await page.locator('main').textContent()
  expect(shown).toContain(`${licenseKey.slice(0, 4)}••••${licenseKey.slice(-4)}`)
  expect(shown).not.toContain(licenseKey)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Activate' }).click()
  await page.getByRole('heading', { name: 'All seats of this license are in use' }).waitFor()
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

  // By text in another language, and then by file.
  await page.getByRole('button', { name: 'Start over' }).click()
  await page.getByLabel('Or paste the text').fill('something else')
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect.poll(() => page.getByRole('alert').textContent()).toContain('isn’t a request')
  await expectAccessible(page)
  await page
    .getByLabel('Choose file')
    .setInputFiles({ name: 'request.latchkey', mimeType: 'text/plain', buffer: Buffer.from(text) })
  await page.getByRole('button', { name: 'Activate' }).click()
  await page.getByLabel('Text of the answer').waitFor()
  expect(emulator.control.keys(id)).toHaveLength(3)
})
