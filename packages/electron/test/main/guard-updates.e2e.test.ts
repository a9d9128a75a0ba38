import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { verifyLease } from '@latchkey/gateway'
import { build } from 'esbuild'
import { expect, onTestFinished } from 'vitest'
import { type OpenApp, test } from '../fixtures/open-app-test.ts'
import { recordingService } from '../fixtures/recording-service.ts'
import { startServer } from '../fixtures/start-server.ts'
import type * as updaterFile from '../fixtures/updater.ts'

declare global {
  var updater: InstanceType<typeof updaterFile.AppImageUpdater>
  /** The texts of system dialogs. */
  var told: string[]
}

const end = '2026-03-01T10:00:00.000000Z'
const releases = [
  ['before the end', '2026-02-01T10:00:00.000Z', true],
  ['at the end', '2026-03-01T10:00:00.000Z', true],
  ['a second after the end', '2026-03-01T10:00:01.000Z', false],
  ['at a time that the feed does not tell', null, false],
] as const

const release = Buffer.from('#!/bin/sh\n# The next version.\n')

/**
 * Starts an update feed as electron-builder writes one, for Linux. Its release is in a bucket of another origin, which the
 * feed redirects to.
 *
 * @param mayRead decides by the lease that came with a request.
 */
async function startFeed(mayRead: (lease: string) => Promise<boolean>) {
  const sha512 = createHash('sha512').update(release).digest('base64')
  const feed = { url: '', releaseDate: null as string | null, downloads: 0, headersAtBucket: '' }
  const bucket = await startServer((request, response) => {
    feed.headersAtBucket += request.rawHeaders.join('\n')
    response.end(release)
  })
  const description = (): string =>
    [
      'version: 3.0.0',
      `files: [{ url: notes-3.0.0.AppImage, sha512: "${sha512}", size: ${release.length} }]`,
      'path: notes-3.0.0.AppImage',
      `sha512: "${sha512}"`,
      ...(feed.releaseDate === null ? [] : [`releaseDate: '${feed.releaseDate}'`]),
    ].join('\n')
  feed.url = await startServer(async ({ url = '', headers }, response) => {
    const isAllowed = await mayRead(headers.authorization?.replace(/^Bearer /u, '') ?? '')
    if (!isAllowed) response.writeHead(403).end()
    else if (url.includes('.yml')) response.end(description())
    else {
      feed.downloads += 1
      response.writeHead(302, { location: `${bucket}/presigned` }).end()
    }
  })
  return feed
}

/** Bundles what the app loads to update itself, and tells it where to look. @returns the bundle's path */
async function bundleUpdater({ appPath }: OpenApp, feedUrl: string): Promise<string> {
  const settings = `provider: generic\nurl: ${feedUrl}\nupdaterCacheDirName: notes\n`
  await writeFile(path.join(appPath, 'dev-app-update.yml'), settings)
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

test('electron-updater reads a feed with this device’s lease, downloads what an ended license covers, and informs the user about other releases', async ({
  openApp,
  emulator,
  needs,
}) => {
  needs('the end of an ended license')
  const { service, leaseKeys } = await recordingService(emulator)
  const feed = await startFeed(async (lease) => {
    const verdict = await verifyLease(lease, { leaseKeys, nowMs: Date.now() })
    return verdict.trusted
  })
  // electron-updater keeps its downloads there.
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-updates-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const app = await openApp({
    env: { APPIMAGE: path.join(folder, 'notes.AppImage'), XDG_CACHE_HOME: folder },
  })
  const build = { releasedAt: '2026-01-01T10:00:00Z' }
  await app.createLicensing({ expiry: 'updates', build, service, leaseKeys })
  await app.electronApp.evaluate((_electron, key) => globalThis.licensing.activate(key), emulator.licenseKey)
  emulator.control.updateLicense(emulator.demoLicense.id, { expires_at: end })
  // It has ended, and covers this build. The launch's own check may have started before it ended.
  const validated = async () => {
    const { status, license } = await app.electronApp.evaluate(() => globalThis.licensing.validate())
    return { status, endsAtMs: Date.parse(license?.expiresAt ?? '') }
  }
  await expect.poll(validated).toEqual({ status: 'active', endsAtMs: Date.parse(end) })

  await app.electronApp.evaluate(
    async ({ dialog }, file) => {
      const loaded: typeof updaterFile | undefined = process.mainModule?.require(file)
      if (loaded === undefined) throw new Error('The updater was not loaded')
      globalThis.updater = new loaded.AppImageUpdater()
      Object.assign(globalThis.updater, {
        forceDevUpdateConfig: true,
        disableDifferentialDownload: true,
        autoInstallOnAppQuit: false,
        logger: null,
      })
      globalThis.told = []
      dialog.showMessageBox = async (...options: readonly unknown[]) => {
        const { message, detail } = options.at(-1) as { message: string; detail: string }
        globalThis.told.push(`${message} | ${detail}`)
        return { response: 0, checkboxChecked: false }
      }
      loaded.guardUpdates(globalThis.licensing, globalThis.updater, { sendsLease: true })
    },
    await bundleUpdater(app, feed.url),
  )
  /** Checks for updates as an app does, and waits for the download, if there is one. */
  const check = () =>
    app.electronApp.evaluate(async () => {
      const found = await globalThis.updater.checkForUpdates()
      await found?.downloadPromise
      return found?.isUpdateAvailable ?? false
    })
  for (const [when, releaseDate, isOffered] of releases) {
    Object.assign(feed, { releaseDate, downloads: 0 })
    expect(await check(), when).toBe(isOffered)
    expect(feed.downloads, when).toBe(isOffered ? 1 : 0)
  }
  // Once for each version, in words.
  const told = () => app.electronApp.evaluate(() => globalThis.told)
  await expect.poll(told).toEqual([expect.stringMatching(/3\.0\.0 \| .*covers versions released until/su)])
  // The service is unreachable, but covered releases are still offered.
  await emulator.control.pause()
  Object.assign(feed, { releaseDate: releases[0][1] })
  expect(await check()).toBe(true)
  // The lease is brought to no other origin. One begins with the base64url of `{"`.
  expect(feed.headersAtBucket).not.toBe('')
  expect(feed.headersAtBucket).not.toContain('eyJ')
})
