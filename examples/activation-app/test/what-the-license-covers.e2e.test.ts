import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { activateInkwell, eventually, openLicensePanel, test } from './inkwell.ts'

const dayMs = 86_400_000
const inDays = (days: number): string => new Date(Date.now() + days * dayMs).toISOString()

test('export, updates and the end follow the license, also while Inkwell runs', async ({
  emulator,
  openInkwell,
}) => {
  const { id } = emulator.demoLicense
  emulator.control.updateLicense(id, { expires_at: inDays(5) })
  let release: unknown = { version: '2.0.0', releaseDate: inDays(6) }
  const feed = createServer((_request, response) => response.end(JSON.stringify(release)))
  await new Promise<void>((resolve) => feed.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void feed.close())
  const { port } = feed.address() as AddressInfo
  const inkwell = await openInkwell({
    env: { INKWELL_UPDATE_FEED: `http://127.0.0.1:${port}`, INKWELL_RELEASED_AT: inDays(-1) },
  })
  const main = await activateInkwell(inkwell, emulator.licenseKey)

  // Export: shown, and saved where the user wants it.
  const file = path.join(inkwell.userDataPath, 'exported.html')
  await inkwell.electronApp.evaluate(({ dialog }, filePath) => {
    dialog.showSaveDialog = async () => ({ canceled: false, filePath })
  }, file)
  await main.getByRole('button', { name: 'Export as HTML' }).click()
  await main.getByText('Saved as exported.html.').waitFor()
  const html = await readFile(file, 'utf8')
  expect(html).toContain('<title>Welcome to Inkwell</title>')
  expect(html).toContain('<h2>Writing</h2>')

  // The end: said in the panel.
  await openLicensePanel(main)
  const end = main.locator('[data-field=end]')
  await eventually(() => end.textContent()).toMatch(/\d, soon$/u)

  // Updates: covered up to the end, and not after it.
  const update = main.locator('.update')
  const check = main.getByRole('button', { name: 'Check for updates' })
  await check.click()
  await eventually(() => update.textContent()).toContain(
    '2.0.0 is available, but your license doesn’t cover it.',
  )
  release = { version: '2.0.1', releaseDate: inDays(-1) }
  await check.click()
  await eventually(() => update.textContent()).toBe('Inkwell 2.0.1 is available.')
  release = { version: '0.0.1', releaseDate: inDays(-1) }
  await check.click()
  await eventually(() => update.textContent()).toBe('Inkwell is up to date.')
  release = '<html>Sign in to this network</html>'
  await check.click()
  await eventually(() => update.textContent()).toBe('The update check failed. Try again later.')

  // A renewal to the plan for a single device: no end in sight, and no export any more.
  emulator.control.updateLicense(id, { expires_at: inDays(365), activation_limit: 1 })
  await main.getByRole('button', { name: 'Check now' }).click()
  await eventually(() => end.textContent()).not.toContain('soon')
  await eventually(() => main.getByRole('button', { name: 'Export as HTML' }).count()).toBe(0)
  expect(await main.evaluate(() => window.notebook.exportNote('Welcome', '<p>'))).toEqual({
    ok: false,
    message: 'Your license doesn’t include export.',
  })
})
