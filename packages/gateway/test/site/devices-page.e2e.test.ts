import path from 'node:path'
import { startEmulator } from '@latchkey/emulator'
import { type AppFixtures, test as appTest } from '@latchkey/scripts/e2e/app-test'
import { expectAccessible } from '@latchkey/scripts/e2e/expect-accessible'
import { upstreamOf } from '@latchkey/scripts/e2e/upstream-of'
import { writeOfflineRequest } from '@latchkey/services/offline'
import type { Page } from 'playwright'
import { expect, type TestAPI } from 'vitest'
import { startGatewayServer } from '../../src/node/index.ts'
import { languageOf } from '../../src/site/site-texts.ts'
import { asking, claimsOf, signingKey } from '../offline/offline-fixture.ts'

interface Fixtures {
  /** The pages of a gateway in a browser window, and the license's devices. */
  readonly site: {
    readonly page: Page
    readonly address: string
    readonly licenseKey: string
    add(...names: string[]): void
    names(): string[]
    resize(width: number): Promise<void>
  }
}

const test: TestAPI<AppFixtures & Fixtures> = appTest.extend<Fixtures>({
  site: async ({ launch }, use) => {
    const emulator = await startEmulator({ accessToken: 'token', customers: 0, discounts: 0 })
    const { id: licenseKey } = emulator.demoLicense
    emulator.control.updateLicense(licenseKey, { activation_limit: 12 })
    const gateway = await startGatewayServer({
      upstream: upstreamOf(emulator),
      port: 0,
      host: '127.0.0.1',
      ownsProcess: false,
      warn: () => {},
      devicesPage: true,
      signing: { keys: [signingKey] },
      offline: { days: 30 },
      thanksPage: { scheme: 'inkwell-test' },
      site: { name: 'Inkwell', support: 'mailto:help@vendor.example' },
    })
    const address = `http://127.0.0.1:${gateway.port}/v1/devices`
    const app = await launch({
      appPath: path.join(import.meta.dirname, '../../../emulator/test/page-viewer'),
      args: [address],
      // The page has no icon, and a refused key is a 404.
      expectProblem: ({ kind, text }) => kind === 'console-error' && /status of 4\d\d/u.test(text),
    })
    const page = await app.firstWindow()
    await page.getByRole('textbox', { name: 'License key' }).waitFor()
    await use({
      page,
      address,
      licenseKey,
      add: (...names) => void names.map((name) => emulator.control.addKey(licenseKey, name)),
      names: () => emulator.control.keys(licenseKey).map(({ name }) => name),
      async resize(width) {
        await app.electronApp.evaluate(
          ({ BrowserWindow }, size) => BrowserWindow.getAllWindows()[0]?.setContentSize(size, 900),
          width,
        )
        await page.waitForFunction((size) => window.innerWidth === size, width)
      },
    })
    await gateway.close()
    await emulator.close()
  },
})

/** Expects that nothing is cut off. */
async function expectFits({ page, resize }: Fixtures['site']): Promise<void> {
  for (const width of [320, 768, 1280]) {
    await resize(width)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
  }
}

test('frees a device by keyboard alone, in every direction and width, readable in both themes', async ({
  site,
}) => {
  const { page, address, licenseKey, add, names } = site
  for (const language of ['en', 'de', 'ar', 'ja']) {
    const { devices, license, freedHeading } = languageOf(new Headers({ 'accept-language': language })).texts
    const released = `${language} laptop`
    // Every step in one language, and the list in each.
    const look = async (isRead = language === 'en'): Promise<void> => {
      await expectFits(site)
      if (isRead) await expectAccessible(page)
    }
    const before = names()
    add(`${released} [00000000000000aa]`, '<b>\u202eAda’s iMac</b>')
    add(`${'build-server-eu-west-1.example.net'.repeat(3)} [0123456789abcdef]`)
    await page.setExtraHTTPHeaders({ 'accept-language': language })
    await page.goto(address)
    await page.getByRole('textbox', { name: license }).waitFor()
    await look()

    // The field has the focus.
    await page.keyboard.type('not a key')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    await look()
    await page.keyboard.type(licenseKey)
    await page.keyboard.press('Enter')

    await page.getByRole('heading', { name: devices.heading }).waitFor()
    expect(page.url()).toBe(address)
    await page.getByText('<b>\u202eAda’s iMac</b>', { exact: true }).first().waitFor()
    await look(true)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    await page.getByRole('radio').and(page.locator(':checked')).waitFor()
    // The devices that the walks before have left come first.
    for (const _ of before) await page.keyboard.press('ArrowDown')
    await page.getByRole('radio', { name: released }).and(page.locator(':checked')).waitFor()
    await page.keyboard.press('Enter')

    await page.getByRole('heading', { name: devices.confirmHeading.replace('{name}', released) }).waitFor()
    await look()
    expect(names()).toContain(`${released} [00000000000000aa]`)
    // Cancel has the focus.
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: freedHeading }).waitFor()
    await look()
    expect(names()).not.toContain(`${released} [00000000000000aa]`)
  }
})

test('a link with the key leads to the devices, and leaves the address', async ({ site }) => {
  const { page, address, licenseKey, add } = site
  add(...Array.from({ length: 2_000 }, (_, index) => `Computer ${index}`))
  await page.goto(`${address}#key=${licenseKey}`)
  await page.getByRole('searchbox').fill('computer 1999')
  await page.getByRole('radio').and(page.locator(':visible')).first().waitFor()
  expect(await page.locator('.row:visible').count()).toBe(1)
  expect(page.url()).toBe(address)
  await page.getByRole('radio', { name: 'Computer 1999' }).check()
  await page.getByRole('button', { name: 'Release' }).click()
  await page.getByRole('heading', { name: 'Release Computer 1999?' }).waitFor()
})

test('thanks shows the key to copy, and takes it out of the address', async ({ site }) => {
  const { page, address, licenseKey } = site
  await page.goto(`${address.replace('/devices', '/thanks')}?key=${licenseKey}`, { waitUntil: 'commit' })
  expect(await page.getByRole('textbox', { name: 'License key' }).inputValue()).toBe(licenseKey)
  expect(await page.getByRole('link', { name: 'Open the app' }).getAttribute('href')).toBe(
    `inkwell-test://activate?license=${licenseKey}`,
  )
  expect(page.url()).not.toContain(licenseKey)
  await expectFits(site)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Copy license key' }).click()
  await page.getByRole('button', { name: 'Copied', exact: true }).waitFor()
})

test('a computer without internet is activated by a link or by a file with its request', async ({ site }) => {
  const { page, address, licenseKey, names } = site
  const offline = address.replace('/devices', '/offline')
  const request = writeOfflineRequest({ ...asking, licenseKey })
  await page.goto(`${offline}#${request}`)
  await page.getByRole('heading', { name: 'Activate this computer?' }).waitFor()
  expect(page.url()).toBe(offline)
  await expectFits(site)
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Start over' }).click()

  const file = page.getByLabel('Choose file')
  await file.setInputFiles({
    name: 'notes.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('not a request'),
  })
  await page.getByRole('alert').waitFor()
  await expectFits(site)
  await expectAccessible(page)
  await file.setInputFiles({ name: 'request.latchkey', mimeType: '', buffer: Buffer.from(request) })
  await page.getByRole('button', { name: 'Activate' }).click()
  await page.getByRole('heading', { name: 'Bring this answer to the computer' }).waitFor()
  await expectFits(site)
  await expectAccessible(page)
  const answer = await page.getByRole('textbox', { name: 'Text of the answer' }).inputValue()
  await expect(claimsOf(answer)).resolves.toMatchObject({ fp: asking.fingerprint })
  expect(names()).toHaveLength(1)
  await page.getByRole('button', { name: 'Copy text' }).click()
  await page.getByRole('button', { name: 'Copied', exact: true }).waitFor()
})
