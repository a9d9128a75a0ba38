import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { electronFromEnvironment } from '@latchkey/scripts/e2e/electron-environment'
import { ensureSystemPackages, keychainNeeds } from '@latchkey/scripts/e2e/runtime/system-packages'
import { serviceUnderTest } from '@latchkey/scripts/e2e/service-under-test'
import { afterAll, beforeAll, expect } from 'vitest'
import { type OpenApp, test } from '../../fixtures/open-app-test.ts'

/** Seats after a lost record: a service without a list of devices can't show the app its own seat. */
const seatsAfterLoss = serviceUnderTest.has('the list of devices') ? 1 : 2

let folder = ''
let inSession = ''

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'latchkey-keyring-'))
  if (process.platform !== 'linux') return
  await ensureSystemPackages(keychainNeeds)
  // A session of its own with a keyring that is unlocked, as a login does it.
  inSession = path.join(folder, 'electron-in-session')
  await writeFile(
    inSession,
    `#!/bin/sh
exec dbus-run-session -- sh -c 'printf password | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1
exec "$0" "$@"' '${electronFromEnvironment().executablePath}' "$@"
`,
  )
  await chmod(inSession, 0o755)
})
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }))

/** Starts the app with a keyring of the given name; the same name is the same keyring. */
async function withKeyring(
  openApp: (options: { env: Record<string, string>; switches: string[] }) => Promise<OpenApp>,
  name: string,
): Promise<OpenApp> {
  const variable = 'LATCHKEY_ELECTRON'
  const before = process.env[variable]
  process.env[variable] = JSON.stringify({ ...electronFromEnvironment(), executablePath: inSession })
  try {
    const env = { XDG_DATA_HOME: path.join(folder, name), XDG_RUNTIME_DIR: path.join(folder, `${name}-run`) }
    return await openApp({ env, switches: ['--password-store=gnome-libsecret'] })
  } finally {
    if (before !== undefined) process.env[variable] = before
  }
}

const activate = (app: OpenApp, licenseKey: string) =>
  app.electronApp.evaluate((_electron, key) => globalThis.licensing.activate(key), licenseKey)
const start = (app: OpenApp) => app.electronApp.evaluate(() => globalThis.licensing.start())

test('without a keychain, the record is reported as plain, opens at the next launch, and an edit is noticed', async ({
  app,
  directory,
  emulator,
}) => {
  await app.createLicensing()
  expect(await activate(app, emulator.licenseKey)).toMatchObject({ ok: true, state: { storage: 'plain' } })

  const relaunch = async () => {
    await app.electronApp.evaluate(() => globalThis.startOver())
    await app.createLicensing()
    return start(app)
  }
  expect(await relaunch()).toMatchObject({ status: 'active', storage: 'plain' })
  await app.electronApp.evaluate(() => globalThis.startOver())
  const text = await readFile(path.join(directory, 'license.json'), 'utf8')
  for (const name of ['license.json', 'license.last-good.json']) {
    // A limit that the service doesn't report is stored as a number too.
    const edited = text.replace(/\\"activationLimit\\":\d+/u, '\\"activationLimit\\":9')
    expect(edited).not.toBe(text)
    await writeFile(path.join(directory, name), edited)
  }
  expect(await relaunch()).toMatchObject({
    status: 'unlicensed',
    entitled: false,
    problem: { code: 'store-edited' },
  })
  expect(await activate(app, emulator.licenseKey)).toMatchObject({ ok: true })
  expect(emulator.control.keys(emulator.demoLicense.id)).toHaveLength(seatsAfterLoss)
})

test('a computer that was set up from another one says so, and one click activates it', async ({
  app,
  emulator,
}) => {
  await app.createLicensing({ device: { id: 'old computer' } })
  expect(await activate(app, emulator.licenseKey)).toMatchObject({ ok: true })
  await app.electronApp.evaluate(() => globalThis.startOver())
  await app.createLicensing({ device: { id: 'new computer' } })
  const page = await app.openActivationWindow()
  await page.getByRole('heading', { name: 'This computer was set up from another one' }).waitFor()
  await page.getByText(emulator.licenseKey.slice(-4)).waitFor()
  expect(await page.getByText(emulator.licenseKey).count()).toBe(0)
  await page.getByRole('button', { name: 'Activate on this computer' }).click()
  await page.getByRole('heading', { name: 'latchkey-open-app is activated' }).waitFor()
  expect(emulator.control.keys(emulator.demoLicense.id)).toHaveLength(2)
})

if (process.platform !== 'linux') {
  process.stdout.write(
    'Not run: storage with a keyring of its own, because only Linux can have one per test\n',
  )
} else {
  test('with a keychain, the record is sealed, opens at the next launch, and survives the loss of the keychain', async ({
    openApp,
    emulator,
    service,
    userDataPath,
  }) => {
    const first = await withKeyring(openApp, 'one')
    await first.createLicensing()
    const activated = await activate(first, emulator.licenseKey)
    expect(activated).toMatchObject({ ok: true, state: { status: 'active', storage: 'keychain' } })
    await first.close()
    const sealed = await readFile(path.join(userDataPath, 'latchkey', 'license.json'), 'utf8')
    expect(sealed).not.toContain(emulator.licenseKey)
    expect(sealed).not.toContain('activationLimit')

    service.forget()
    const second = await withKeyring(openApp, 'one')
    await second.createLicensing()
    expect(await start(second)).toMatchObject({ status: 'active', storage: 'keychain', problem: null })
    await expect.poll(() => service.operations()).toEqual(['validate'])
    await second.close()

    const third = await withKeyring(openApp, 'two')
    await third.createLicensing()
    expect(await start(third)).toMatchObject({
      status: 'unlicensed',
      problem: { code: 'store-undecryptable' },
    })
    expect(await activate(third, emulator.licenseKey)).toMatchObject({ ok: true })
    expect(emulator.control.keys(emulator.demoLicense.id)).toHaveLength(seatsAfterLoss)
    const names = await readdir(path.join(userDataPath, 'latchkey'))
    expect(names.filter((name) => name.includes('.set-aside-'))).toHaveLength(1)
  })
}
