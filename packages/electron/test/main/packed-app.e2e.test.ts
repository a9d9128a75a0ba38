import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { createPackage } from '@electron/asar'
import { expect } from 'vitest'
import { test } from '../fixtures/open-app-test.ts'

test('inside an archive: its own page is heard, files beside it are not, and the activation window opens', async ({
  openApp,
}) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-packed-'))
  try {
    // The fixture app as it is, to be copied.
    const unpacked = await openApp()
    const source = path.join(folder, 'source')
    await cp(unpacked.appPath, source, { recursive: true })
    await unpacked.close()
    const archive = path.join(folder, 'app.asar')
    await createPackage(source, archive)
    await cp(path.join(source, 'page.html'), path.join(folder, 'page.html'))
    await cp(path.join(source, 'page.html'), path.join(folder, 'app.asar.evil', 'page.html'))

    const app = await openApp({ appPath: archive })
    await app.createLicensing()
    expect(await app.electronApp.evaluate(({ app: electronApp }) => electronApp.getAppPath())).toBe(archive)
    const own = await app.openWindow(pathToFileURL(path.join(archive, 'page.html')).href)
    expect(await own.evaluate(() => window.latchkey.getState())).toMatchObject({ status: 'unlicensed' })
    for (const file of ['page.html', 'app.asar.evil/page.html', 'app.asar/../page.html']) {
      const foreign = await app.openWindow(`${pathToFileURL(folder).href}/${file}`)
      expect(
        await foreign.evaluate(() => window.latchkey.getState().then(() => 'answered', String)),
        file,
      ).toMatch(/Latchkey refused this window/)
    }

    const activation = await app.openActivationWindow()
    await activation.getByLabel('License key').waitFor()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
