import { generateKeyPairSync } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { startEmulator } from '@latchkey/emulator'
import { onTestEnd } from '@latchkey/scripts/test/side-by-side'
import { expect, test } from 'vitest'
import { offlineRequest } from './offline-request.ts'
import { runCli } from './run-cli.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Lemon Squeezy with an activated device that the vendor's API key, of the other mode, doesn't see. */
async function startWithOtherModesKey() {
  const emulator = await startEmulator({ face: 'lemon-squeezy', accessToken: 'secret' })
  onTestEnd(() => emulator.close())
  const { control, licenseKey, demoLicense, baseUrl, settings } = emulator
  control.addKey(demoLicense.id, 'Laptop [0123456789abcdef]')
  control.faults.inject({ fault: 'set-fields', operation: 'keys', fields: { data: [] } })
  const env = {
    LATCHKEY_SERVICE: 'lemon-squeezy',
    LATCHKEY_LEMON_SQUEEZY_STORE_ID: settings['storeId'] ?? '',
    LATCHKEY_LEMON_SQUEEZY_PRODUCT_ID: settings['productId'] ?? '',
    LATCHKEY_LEMON_SQUEEZY_API_KEY: 'secret',
    LATCHKEY_LEMON_SQUEEZY_BASE_URL: baseUrl,
    LATCHKEY_SIGNING_KEY: JSON.stringify(generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })),
  }
  return {
    licenseKey,
    seats: () => control.keys(demoLicense.id).length,
    run: (words: readonly string[]) => runCli(emulator, words, { env }),
  }
}

test('doesn’t call a license free of devices whose seats are in use', async () => {
  const { run, licenseKey } = await startWithOtherModesKey()
  const { exitCode, out, err } = await run(['keys', 'list', licenseKey])
  expect({ exitCode, out }).toEqual({ exitCode: 6, out: '' })
  expect(err).toBe(
    'latchkey: The service’s answer can’t be used (status 200): apiKey lists none of the seats in use (1): check its account, product, and mode.\n',
  )
})

test('takes no seat for a computer without internet, however often its request is signed', async () => {
  const { run, licenseKey, seats } = await startWithOtherModesKey()
  const file = path.join(await temporaryFolder(), 'request.latchkey')
  const request = offlineRequest(licenseKey, { fingerprint: 'fedcba9876543210' })
  await writeFile(file, request)
  for (let times = 0; times < 2; times += 1) {
    const { exitCode, err } = await run(['offline', 'sign', file])
    expect(exitCode).toBe(6)
    expect(err).toContain('apiKey lists none of the seats in use (1)')
  }
  expect(seats()).toBe(1)
})
