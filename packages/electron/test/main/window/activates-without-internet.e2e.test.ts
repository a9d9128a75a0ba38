import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { readOfflineRequest, writeOfflineRequest } from '@latchkey/services/offline'
import type { Page } from 'playwright'
import { expect } from 'vitest'
import * as z from 'zod/mini'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'
import { expectAccessible } from '../../fixtures/expect-accessible.ts'
import { startOfflineVendor } from '../../fixtures/offline-vendor.ts'
import { type OpenApp, test } from '../../fixtures/open-app-test.ts'
import { openOnOtherDevice } from '../../fixtures/other-device.ts'

const answerSchema = z.object({ answer: z.string() })

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

/** Takes a request to the vendor's page on another device, and returns the answer's text. */
async function answerOn(phone: Page): Promise<string> {
  await phone.getByRole('button', { name: 'Activate' }).click()
  await phone.getByLabel('Text of the answer').waitFor()
  return phone.getByLabel('Text of the answer').inputValue()
}

test('the activation window activates a computer without internet by QR code, by file and by text', async ({
  emulator,
  openApp,
  userDataPath,
}) => {
  const { url, leaseKeys } = await startOfflineVendor(emulator)
  const { face, licenseKey } = emulator
  const seatsTaken = () => emulator.control.keys(emulator.demoLicense.id)
  const app = await openApp()
  // Nothing answers there.
  const baseUrl = 'http://127.0.0.1:1/v1'
  const service = face === 'commerce' ? { baseUrl } : { baseUrl, licenseKeys: 'any' as const }
  await app.createLicensing({ service, leaseKeys, offlineActivation: { url } })
  const screen = await app.openActivationWindow()
  const button = (name: string) => screen.getByRole('button', { name, exact: true })
  // The announcement for screen readers has the same words.
  const says = (text: string) => screen.locator('#hint, .lead').getByText(text).waitFor()
  const heading = (name: string) => screen.getByRole('heading', { name }).waitFor()

  await screen.getByLabel('License key').fill(licenseKey)
  await button('Activate').click()
  await heading('No answer yet')
  await button('Activate without internet').click()
  await heading('Scan this code with a phone')
  expect(await screen.getByText(url, { exact: true }).isVisible()).toBe(true)
  const link = await scan(await screen.getByRole('img', { name: 'The request as a QR code' }).screenshot())
  expect(link.startsWith(`${url}#latchkey-request-1.`)).toBe(true)

  // As a file, and as text: the same request.
  const file = path.join(userDataPath, 'request.latchkey')
  await saveDownloadsTo(app, file)
  await button('Save as file').click()
  const saved = () => readFile(file, 'utf8').catch(() => '')
  await expect.poll(async () => (await saved()).replace(/\s/gu, '')).toBe(link.split('#')[1])
  await button('Copy as text').click()
  await button('Copied').waitFor()
  expect(await app.electronApp.evaluate(({ clipboard }) => clipboard.readText())).toBe(await saved())

  const phone = await openOnOtherDevice(app, link)
  const answer = await answerOn(phone)
  await button('Enter answer').click()
  await heading('Enter the answer')

  // What can't be the answer is said so, and changes nothing.
  await drop(screen, 100_000_000)
  await says('This file is too large to be an answer')
  await screen.getByRole('textbox', { name: 'Answer' }).fill(answer.slice(0, 200))
  await button('Activate').click()
  await says('A part of the answer is missing')
  const read = readOfflineRequest(link)
  if (!read.ok) throw new Error(read.fault)
  const request = writeOfflineRequest({ ...read.request, fingerprint: '0123456789abcdef' })
  const asked = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ request }),
  })
  await screen.getByRole('textbox', { name: 'Answer' }).fill(answerSchema.parse(await asked.json()).answer)
  await button('Activate').click()
  await says('This answer is for another computer')
  expect(await app.electronApp.evaluate(() => globalThis.licensing.state.status)).toBe('unlicensed')

  // By file.
  const chooser = screen.waitForEvent('filechooser')
  await button('Choose file').click()
  const answerFile = { name: 'answer.latchkey', mimeType: 'text/plain', buffer: Buffer.from(answer) }
  await (await chooser).setFiles(answerFile)
  await heading('is activated')
  await says('Active without internet until')
  const seats = seatsTaken().length

  // Renewed by text, from the same computer, with the same seat.
  await button('Help').click()
  await button('Activate without internet').click()
  await screen.getByLabel('License key').fill(licenseKey)
  await button('Continue').click()
  await heading('Scan this code with a phone')
  await button('Copy as text').click()
  await button('Copied').waitFor()
  const text = await app.electronApp.evaluate(({ clipboard }) => clipboard.readText())
  await phone.getByRole('button', { name: 'Start over' }).click()
  await phone.getByLabel('Or paste the text').fill(text)
  await phone.getByRole('button', { name: 'Continue' }).click()
  const renewed = await answerOn(phone)
  await button('Enter answer').click()
  await screen.getByRole('textbox', { name: 'Answer' }).fill(`Here it is:\n\n> ${renewed}`)
  await button('Activate').click()
  await heading('is activated')
  expect(seatsTaken()).toHaveLength(seats)
  // Deactivated without internet, its seat is freed by the release code.
  await button('Deactivate this device').click()
  await button('Deactivate').click()
  await heading('Free the seat of this device')
  const releaseFile = path.join(userDataPath, 'release.latchkey')
  await saveDownloadsTo(app, releaseFile)
  await button('Save as file').click()
  const release = () => readFile(releaseFile, 'utf8').catch(() => '')
  await expect.poll(release).toMatch(/^latchkey-release-1\./u)
  const code = await scan(await screen.getByRole('img', { name: 'Release code' }).screenshot())
  expect(code).toBe(`${url}#${await release()}`)
  const other = await openOnOtherDevice(app, code)
  await other.getByRole('heading', { name: 'Free the seat of this computer?' }).waitFor()
  await expectAccessible(other)
  expect(seatsTaken()).toHaveLength(seats)
  await other.getByRole('button', { name: 'Free seat' }).click()
  await other.getByRole('heading', { name: 'The seat is free' }).waitFor()
  await expectAccessible(other)
  expect(seatsTaken()).toHaveLength(seats - 1)
  // By file, a second time.
  await other.getByRole('button', { name: 'Start over' }).click()
  await other.getByLabel('Choose file').setInputFiles(releaseFile)
  await other.getByRole('button', { name: 'Free seat' }).click()
  await other.getByText('This seat was free already.').waitFor()
  await button('Continue').click()
  await button('Show release code').click()
  await heading('Free the seat of this device')
})
