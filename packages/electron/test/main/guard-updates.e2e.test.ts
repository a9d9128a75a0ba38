import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Emulator } from '@latchkey/emulator'
import { verifyLease } from '@latchkey/gateway'
import { build } from 'esbuild'
import { expect, onTestFinished } from 'vitest'
import { type OpenApp, test } from '../fixtures/open-app-test.ts'
import { recordingService } from '../fixtures/recording-service.ts'
import { startUpdateFeed, type UpdateFeed } from '../fixtures/update-feed.ts'
import type * as updaterFile from '../fixtures/updater.ts'

declare global {
  var updater: InstanceType<typeof updaterFile.AppImageUpdater>
  /** Versions that were reported instead of downloaded, and the texts of system dialogs. */
  var refused: string[]
}

const end = '2026-03-01T10:00:00.000000Z'
const releases = [
  ['before the end', '2026-02-01T10:00:00.000Z', true],
  ['at the end', '2026-03-01T10:00:00.000Z', true],
  ['a second after the end', '2026-03-01T10:00:01.000Z', false],
  ['at a time that the feed does not tell', null, false],
] as const

/** Bundles what the app loads to update itself. @returns its path */
async function bundleUpdater({ appPath }: OpenApp): Promise<string> {
  const outfile = path.join(appPath, 'updater.cjs')
  await build({
    entryPoints: [path.join(import.meta.dirname, '../fixtures/updater.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node18',
    external: ['electron'],
    logLevel: 'warning',
  })
  return outfile
}

/** Activates, lets the license end, and gives the app a real updater with a guard. */
async function update(
  app: OpenApp,
  { control, demoLicense, licenseKey: key }: Emulator,
  feed: UpdateFeed,
  sendsLease: boolean,
) {
  await writeFile(
    path.join(app.appPath, 'dev-app-update.yml'),
    `provider: generic\nurl: ${feed.url}\nupdaterCacheDirName: notes\n`,
  )
  const file = await bundleUpdater(app)
  const activate = () =>
    app.electronApp.evaluate(async (_electron, licenseKey) => {
      const { ok } = await globalThis.licensing.activate(licenseKey)
      return ok
    }, key)
  expect(await activate()).toBe(true)
  control.updateLicense(demoLicense.id, { expires_at: end })
  // It has ended, and covers this build. The launch's own check may have started before it ended.
  const validated = async () => {
    const { status, license } = await app.electronApp.evaluate(() => globalThis.licensing.validate())
    return { status, endsAtMs: Date.parse(license?.expiresAt ?? '') }
  }
  await expect.poll(validated).toEqual({ status: 'active', endsAtMs: Date.parse(end) })
  await app.electronApp.evaluate(
    async ({ dialog }, { file, sendsLease }) => {
      const loaded: typeof updaterFile | undefined = process.mainModule?.require(file)
      if (loaded === undefined) throw new Error('The updater was not loaded')
      const { AppImageUpdater, guardUpdates } = loaded
      globalThis.updater = new AppImageUpdater()
      Object.assign(globalThis.updater, {
        forceDevUpdateConfig: true,
        disableDifferentialDownload: true,
        autoInstallOnAppQuit: false,
        logger: null,
      })
      globalThis.refused = []
      dialog.showMessageBox = async (...options: readonly unknown[]) => {
        const { message, detail } = options.at(-1) as { message: string; detail: string }
        globalThis.refused.push(`${message} | ${detail}`)
        return { response: 0, checkboxChecked: false }
      }
      guardUpdates(globalThis.licensing, globalThis.updater, { sendsLease })
    },
    { file, sendsLease },
  )
}

/** electron-updater keeps its downloads there. */
async function environment(): Promise<Record<string, string>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-updates-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return { APPIMAGE: path.join(folder, 'notes.AppImage'), XDG_CACHE_HOME: folder }
}

/** Checks for updates as an app does, and waits for the download, if there is one. */
function check(app: OpenApp): Promise<boolean> {
  return app.electronApp.evaluate(async () => {
    const found = await globalThis.updater.checkForUpdates()
    await found?.downloadPromise
    return found?.isUpdateAvailable ?? false
  })
}

const options = { expiry: 'updates', build: { releasedAt: '2026-01-01T10:00:00Z' } } as const

test('electron-updater downloads what an ended license covers, and the user is informed about other releases', async ({
  openApp,
  emulator,
  needs,
}) => {
  needs('the end of an ended license')
  const feed = await startUpdateFeed()
  const app = await openApp({ env: await environment() })
  await app.createLicensing(options)
  await update(app, emulator, feed, false)
  for (const [when, releaseDate, isOffered] of releases) {
    feed.releaseDate = releaseDate
    feed.served.length = 0
    expect(await check(app), when).toBe(isOffered)
    expect(feed.served.filter((name) => name.endsWith('.AppImage')).length, when).toBe(isOffered ? 1 : 0)
  }
  // Once for each version, in words.
  const told = () => app.electronApp.evaluate(() => globalThis.refused)
  await expect.poll(told).toEqual([expect.stringMatching(/3\.0\.0 \| .*covers versions released until/su)])
  // The service is unreachable, but covered releases are still offered.
  await emulator.control.pause()
  feed.releaseDate = releases[0][1]
  expect(await check(app)).toBe(true)
})

test('electron-updater reads a feed for licensed users with the lease of this device, and brings it to no other origin', async ({
  openApp,
  emulator,
  needs,
}) => {
  needs('the end of an ended license')
  const { service, leaseKeys } = await recordingService(emulator)
  const leases: (string | null)[] = []
  const feed = await startUpdateFeed(async (lease) => {
    leases.push(lease)
    const verdict = await verifyLease(lease ?? '', { leaseKeys, nowMs: Date.now() })
    return verdict.trusted
  })
  const app = await openApp({ env: await environment() })
  await app.createLicensing({ ...options, service, leaseKeys })
  await update(app, emulator, feed, true)
  for (const [when, releaseDate, isOffered] of releases) {
    feed.releaseDate = releaseDate
    expect(await check(app), when).toBe(isOffered)
  }
  expect(feed.served).toContain('/notes-3.0.0.AppImage')
  expect(leases).not.toContain(null)
  // A lease begins with the base64url of `{"`.
  expect(feed.headersAtBucket.length).toBeGreaterThan(0)
  expect(feed.headersAtBucket.join('\n')).not.toContain('eyJ')
})
