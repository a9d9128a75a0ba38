import path from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { test } from '../e2e/app-test.ts'
import { startKeychain } from '../e2e/keychain.ts'

const appPath = path.join(import.meta.dirname, 'fixture-app')

test('an app has no keychain by default, so tests never open the developer’s own', async ({
  launch,
  skip,
}) => {
  if (process.platform !== 'linux') return skip('macOS and Windows have one keychain per user')
  const app = await launch({ appPath })
  await app.firstWindow()
  expect(await app.electronApp.evaluate(({ safeStorage }) => safeStorage.isEncryptionAvailable())).toBe(false)
})

test('a test’s own keychain really encrypts, and its data can be read after a restart', async ({
  launch,
  skip,
}) => {
  if (process.platform !== 'linux') return skip('only Linux can start a keychain for a test')
  const { env, switches, close } = await startKeychain()
  onTestFinished(close)
  const first = await launch({ appPath, env, switches })
  await first.firstWindow()
  const sealed = await first.electronApp.evaluate(({ safeStorage }) => {
    if (!safeStorage.isEncryptionAvailable()) throw new Error('no encryption')
    return safeStorage.encryptString('secret').toString('base64')
  })
  expect(Buffer.from(sealed, 'base64').toString('latin1')).toMatch(/^v11/)
  await first.close()

  const second = await launch({ appPath, env, switches })
  await second.firstWindow()
  const opened = await second.electronApp.evaluate(
    ({ safeStorage }, text) => safeStorage.decryptString(Buffer.from(text, 'base64')),
    sealed,
  )
  expect(opened).toBe('secret')
})
