import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { Emulator } from '@latchkey/emulator'
import { generateSigningKey, leaseKeysOf } from '@latchkey/gateway'
import { startGatewayServer } from '@latchkey/gateway/node'
import { expectAccessible } from '@latchkey/scripts/e2e/expect-accessible'
import { ensureSystemPackages, findCommand } from '@latchkey/scripts/e2e/runtime/system-packages'
import { upstreamOf } from '@latchkey/scripts/e2e/upstream-of'
import { chromium, devices, type Page } from 'playwright'
import { expect, onTestFinished } from 'vitest'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'
import { type OpenApp, test } from '../fixtures/open-app-test.ts'

/** Starts the gateway of a vendor until the test ends. Its answers hold for 30 days. */
async function startOfflineVendor(emulator: Emulator) {
  const signingKey = await generateSigningKey()
  const gateway = await startGatewayServer({
    port: 0,
    host: '127.0.0.1',
    upstream: upstreamOf(emulator),
    signing: { keys: [signingKey] },
    offline: { days: 30 },
  })
  onTestFinished(() => gateway.close())
  return {
    url: `http://127.0.0.1:${gateway.port}/v1/offline`,
    leaseKeys: await leaseKeysOf([signingKey]),
  }
}

/**
 * Opens an address on another device. In the long run that is a phone's view in Debian's Chromium, which takes a minute to
 * install; otherwise, and where it can't be installed, a window of Electron.
 */
async function openOnOtherDevice(app: OpenApp, url: string): Promise<Page> {
  const isLongRun = process.env['LATCHKEY_LONG'] === '1'
  return isLongRun && process.platform === 'linux' ? openInChromium(app, url) : app.openWindow(url)
}

async function openInChromium(app: OpenApp, url: string): Promise<Page> {
  try {
    await ensureSystemPackages([['command', 'chromium', 'chromium']])
  } catch (error) {
    process.stdout.write(`The page is opened in Electron, not in Chromium: ${String(error)}\n`)
    return app.openWindow(url)
  }
  const browser = await chromium.launch({
    executablePath: findCommand('chromium') ?? '',
    chromiumSandbox: process.getuid?.() !== 0,
    args: [
      '--disable-background-networking',
      '--disable-component-update',
      '--no-first-run',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    ],
  })
  onTestFinished(() => browser.close())
  const page = await browser.newPage({ ...devices['Pixel 7'], locale: 'en-US' })
  page.on('pageerror', (error) => {
    throw error
  })
  await page.goto(url)
  return page
}

/** What a phone reads in a picture of the screen. The decoder is another library than the one that draws the code. */
async function scan(picture: Uint8Array): Promise<string> {
  const wasm = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm')
  const { buffer } = Uint8Array.from(await readFile(wasm))
  prepareZXingModule({ overrides: { wasmBinary: buffer } })
  const [code] = await readBarcodes(picture, { formats: ['QRCode'] })
  return code?.text ?? ''
}

/** Drops a file of that many bytes onto the middle of the window. */
async function drop(screen: Page, bytes: number): Promise<void> {
  await screen.locator('h1').evaluate((heading, size) => {
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File([new Uint8Array(size)], 'answer.latchkey'))
    heading.dispatchEvent(
      new DragEvent('drop', { bubbles: true, composed: true, cancelable: true, dataTransfer }),
    )
  }, bytes)
}

/** Saves what the window offers as a file without asking where. */
async function saveDownloadsTo(app: OpenApp, file: string): Promise<void> {
  await app.electronApp.evaluate(({ BrowserWindow }, savePath) => {
    for (const { webContents } of BrowserWindow.getAllWindows()) {
      webContents.session.on('will-download', (_event, item) => item.setSavePath(savePath))
    }
  }, file)
}

test('a computer without internet is activated from its window by QR code, by file and by text, on the vendor’s page', async ({
  emulator,
  openApp,
  directory,
}) => {
  const { url, leaseKeys } = await startOfflineVendor(emulator)
  const { face, licenseKey } = emulator
  const seatsTaken = () => emulator.control.keys(emulator.demoLicense.id)
  for (const name of ['Old laptop', 'Studio', 'Lab']) emulator.control.addKey(emulator.demoLicense.id, name)
  // Nothing answers there.
  const baseUrl = 'http://127.0.0.1:1/v1'
  const service = face === 'commerce' ? { baseUrl } : { baseUrl, licenseKeys: 'any' as const }
  let app = await openApp()
  const openScreen = async () => {
    await app.createLicensing({ directory, service, leaseKeys, offlineActivation: { url } })
    return app.openActivationWindow()
  }
  let screen = await openScreen()
  const button = (name: string) => screen.getByRole('button', { name, exact: true })
  // The announcement for screen readers has the same words.
  const says = (text: string) => screen.locator('#hint, .lead').getByText(text).waitFor()
  const heading = (name: string) => screen.getByRole('heading', { name }).waitFor()
  const copied = () => app.electronApp.evaluate(({ clipboard }) => clipboard.readText())

  await screen.getByLabel('License key').fill(licenseKey)
  await button('Activate').click()
  await heading('No answer yet')
  await button('Activate without internet').click()
  await heading('Scan this code with a phone')
  expect(await screen.getByText(url, { exact: true }).isVisible()).toBe(true)
  const link = await scan(await screen.getByRole('img', { name: 'The request as a QR code' }).screenshot())
  expect(link.startsWith(`${url}#latchkey-request-1.`)).toBe(true)

  // As a file, and as text: the same request.
  const file = path.join(directory, 'request.latchkey')
  await saveDownloadsTo(app, file)
  await button('Save as file').click()
  const saved = () => readFile(file, 'utf8').catch(() => '')
  await expect.poll(async () => (await saved()).replace(/\s/gu, '')).toBe(link.split('#')[1])
  await button('Copy as text').click()
  await button('Copied').waitFor()
  expect(await copied()).toBe(await saved())

  // By the link of the QR code, where every seat is in use.
  let phone = await openOnOtherDevice(app, link)
  await phone.getByRole('heading', { name: 'Activate this computer?' }).waitFor()
  expect(phone.url()).toBe(url)
  const shown = await phone.locator('main').textContent()
  expect(shown).toContain(`${licenseKey.slice(0, 4)}••••${licenseKey.slice(-4)}`)
  expect(shown).not.toContain(licenseKey)
  await expectAccessible(phone)
  await phone.getByRole('button', { name: 'Activate' }).click()
  await phone.getByRole('heading', { name: 'All seats of this license are in use' }).waitFor()
  await expectAccessible(phone)
  await phone.getByRole('radio', { name: 'Old laptop' }).check()
  await phone.getByRole('button', { name: 'Release' }).click()
  await phone.getByRole('heading', { name: 'Release Old laptop?' }).waitFor()
  await phone.getByRole('button', { name: 'Release' }).click()
  await phone.getByLabel('Text of the answer').waitFor()
  await expectAccessible(phone)
  const answer = await phone.getByLabel('Text of the answer').inputValue()
  await expect
    .poll(() => phone.locator('img').evaluate((image: HTMLImageElement) => image.naturalWidth))
    .toBeGreaterThan(0)
  await button('Enter answer').click()
  await heading('Enter the answer')

  // What can't be the answer is said so, and changes nothing.
  await drop(screen, 100_000_000)
  await says('This file is too large to be an answer')
  await screen.getByRole('textbox', { name: 'Answer' }).fill(answer.slice(0, 200))
  await button('Activate').click()
  await says('A part of the answer is missing')
  expect(await app.electronApp.evaluate(() => globalThis.licensing.state.status)).toBe('unlicensed')

  // By file.
  const chooser = screen.waitForEvent('filechooser')
  await button('Choose file').click()
  const answerFile = { name: 'answer.latchkey', mimeType: 'text/plain', buffer: Buffer.from(answer) }
  await (await chooser).setFiles(answerFile)
  await heading('is activated')
  await says('Active without internet until')
  expect(seatsTaken()).toHaveLength(3)

  // After a restart, renewed by text, with the same seat.
  await app.close()
  app = await openApp()
  screen = await openScreen()
  await heading('is activated')
  await button('Help').click()
  await button('Activate without internet').click()
  await screen.getByLabel('License key').fill(licenseKey)
  await button('Continue').click()
  await heading('Scan this code with a phone')
  await button('Copy as text').click()
  await button('Copied').waitFor()
  phone = await openOnOtherDevice(app, url)
  await phone.getByLabel('Or paste the text').fill('something else')
  await phone.getByRole('button', { name: 'Continue' }).click()
  await expect.poll(() => phone.getByRole('alert').textContent()).toContain('isn’t a request')
  expect(await phone.getByLabel('Or paste the text').inputValue()).toBe('something else')
  await expectAccessible(phone)
  await phone.getByLabel('Or paste the text').fill(await copied())
  await phone.getByRole('button', { name: 'Continue' }).click()
  await phone.getByRole('button', { name: 'Activate' }).click()
  const renewed = await phone.getByLabel('Text of the answer').inputValue()
  await button('Enter answer').click()
  await screen.getByRole('textbox', { name: 'Answer' }).fill(`Here it is:\n\n> ${renewed}`)
  await button('Activate').click()
  await heading('is activated')
  expect(seatsTaken()).toHaveLength(3)

  // Deactivated without internet, its seat is freed by the release code.
  await button('Deactivate this device').click()
  await button('Deactivate').click()
  await heading('Free the seat of this device')
  const releaseFile = path.join(directory, 'release.latchkey')
  await saveDownloadsTo(app, releaseFile)
  await button('Save as file').click()
  const release = () => readFile(releaseFile, 'utf8').catch(() => '')
  await expect.poll(release).toMatch(/^latchkey-release-1\./u)
  const code = await scan(await screen.getByRole('img', { name: 'Release code' }).screenshot())
  expect(code).toBe(`${url}#${await release()}`)
  // Another link in the same tab.
  await phone.goto(code)
  await phone.getByRole('heading', { name: 'Free the seat of this computer?' }).waitFor()
  await expectAccessible(phone)
  expect(seatsTaken()).toHaveLength(3)
  await phone.getByRole('button', { name: 'Free seat' }).click()
  await phone.getByRole('heading', { name: 'The seat is free' }).waitFor()
  await expectAccessible(phone)
  expect(seatsTaken()).toHaveLength(2)
  // By file, a second time.
  await phone.getByRole('link', { name: 'Start over' }).click()
  await phone.getByLabel('Choose file').setInputFiles(releaseFile)
  await phone.getByRole('button', { name: 'Free seat' }).click()
  await phone.getByText('This seat was free already.').waitFor()
  await button('Continue').click()
  await button('Show release code').click()
  await heading('Free the seat of this device')
})
