import path from 'node:path'
import { test } from '@latchkey/scripts/e2e/app-test'
import type { LaunchOptions } from '@latchkey/scripts/e2e/launch-app'
import { whenPainted } from '@latchkey/scripts/e2e/when-painted'
import { emulatorForTest } from '@latchkey/scripts/test/side-by-side'
import type { Page } from 'playwright'
import { beforeEach, expect } from 'vitest'
import type { Emulator } from '../src/index.ts'
import { keyIdOf, type RawRequests, rawRequests } from './raw-requests.ts'

let emulator: Emulator
let requests: RawRequests
beforeEach(async () => {
  emulator = await emulatorForTest()
  requests = rawRequests(emulator)
})

const appPath = path.join(import.meta.dirname, 'page-viewer')

async function open(
  launch: (options: LaunchOptions) => Promise<{ firstWindow(): Promise<Page> }>,
  options: Partial<LaunchOptions> = {},
): Promise<Page> {
  const app = await launch({ appPath, args: [`${emulator.origin}/`], ...options })
  const page = await app.firstWindow()
  await page.getByText('Live', { exact: true }).waitFor()
  return await whenPainted(page)
}

test('shows an activation immediately: key, seat and request, and markup in a name as text', async ({
  launch,
}) => {
  const page = await open(launch)
  await page.getByText('0/3 seats').waitFor()
  const name = '<img src=x onerror="document.title=1"><script>document.title=2</script>'
  await requests.activate(name)
  await page.getByText('1/3 seats').waitFor()
  await page.getByRole('img', { name: '1 of 3 seats taken' }).waitFor()
  await page.locator('.key-name').getByText(name, { exact: true }).waitFor()
  expect(await page.locator('#licenses img').count()).toBe(0)
  expect(await page.title()).toBe('Latchkey emulator')
  const row = page.locator('#requests summary')
  expect(await row.textContent()).toMatch(/POSTactivate\/licenses\/.*\/activate200$/)
  await row.click()
  await page.getByText('authorization: Bearer ****').waitFor()
  expect(await page.content()).not.toContain('Bearer demo')
  await requests.send('GET', '/customers', { headers: {} })
  await page.getByText('the header Authorization is missing').waitFor()
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.getByText('No requests yet').waitFor()
  expect(emulator.control.requests()).toEqual([])
})

test('activates and releases a device, suspends, reinstates and expires a license', async ({ launch }) => {
  const { id } = emulator.demoLicense
  const page = await open(launch)
  const keyId = keyIdOf(await requests.activate('Laptop'))
  await page.getByRole('button', { name: 'Release Laptop', exact: true }).click()
  await page.getByText('0/3 seats').waitFor()
  expect((await requests.validate(keyId)).status).toBe(404)
  // The focus stays while the list changes.
  await page.getByRole('button', { name: 'Activate another device' }).focus()
  for (const seats of ['1/3 seats', '2/3 seats']) {
    await page.keyboard.press('Enter')
    await page.getByText(seats).waitFor()
  }
  await page.getByRole('button', { name: 'Suspend' }).click()
  await page.getByText('suspended', { exact: true }).waitFor()
  expect(emulator.control.license(id).suspended_at).not.toBeNull()
  await page.getByRole('button', { name: 'Reinstate' }).click()
  await page.getByText('ACTIVE', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Expire now' }).click()
  await page.getByText('expired', { exact: true }).waitFor()
  expect((await requests.activate('Phone')).status).toBe(422)
})

test('injects a fault, counts how often it applied, and removes it', async ({ launch }) => {
  const page = await open(launch)
  await page.getByLabel('What goes wrong').selectOption('503 unavailable')
  await page.getByLabel('Where', { exact: true }).selectOption('activate')
  await page.getByRole('button', { name: 'Inject' }).click()
  await page.getByText('applied 0 of 1').waitFor()
  expect((await requests.activate('Laptop')).status).toBe(503)
  await page.getByText('applied 1 of 1').waitFor()
  await page.getByText('fault: status').waitFor()
  await page.getByRole('button', { name: 'Remove status' }).click()
  await expect.poll(() => emulator.control.faults.list()).toEqual([])
})

test('runs no scripts except its own, and reconnects after the service was down', async ({ launch }) => {
  const page = await open(launch, {
    // The browser's messages for a connection that was refused or lost, too.
    expectProblem: ({ text }) => text.includes('Content Security Policy') || text.includes('net::ERR_'),
  })
  for (const script of [
    'document.body.insertAdjacentHTML("beforeend", "<img src=x onerror=\\"document.title=1\\">")',
    '{ const s = document.createElement("script"); s.textContent = "document.title=2"; document.body.append(s) }',
  ]) {
    await page.evaluate(script)
  }
  expect(await page.title()).toBe('Latchkey emulator')
  await emulator.control.pause()
  await page.getByText('Down, trying again').waitFor()
  await emulator.control.resume()
  await page.getByText('Live', { exact: true }).waitFor()
  await requests.activate('Laptop')
  await page.getByText('1/3 seats').waitFor()
})
