import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { type Emulator, startEmulator } from '@latchkey/emulator'
import { generateLeaseKeys, startInstalledGateway } from '@latchkey/scripts/packages/start-installed-gateway'
import { describe, expect, onTestFinished } from 'vitest'
import { activateInkwell, appPath, eventually, operationsOf, seatsInUse, test } from './inkwell.ts'

/** A vendor's installed gateway in front of the service, and the settings an app needs for it. */
async function startGateway(emulator: Emulator) {
  const { signingKey, leaseKeys } = await generateLeaseKeys()
  const gateway = await startInstalledGateway({
    LATCHKEY_UPSTREAM: emulator.baseUrl,
    LATCHKEY_ACCESS_TOKEN: emulator.accessToken ?? '',
    LATCHKEY_SIGNING_KEY: signingKey,
  })
  onTestFinished(gateway.stop)
  const env = {
    LATCHKEY_SERVICE_URL: gateway.baseUrl,
    LATCHKEY_SERVICE_TOKEN: undefined,
    LATCHKEY_LEASE_KEYS: leaseKeys,
  }
  return { env, stop: gateway.stop }
}

describe('behind a gateway', () => {
  test('activates without a token, and then accepts no other server', async ({ openInkwell, emulator }) => {
    const { env, stop } = await startGateway(emulator)
    const first = await openInkwell({ env })
    await activateInkwell(first, emulator.licenseKey)
    await first.close()
    expect(seatsInUse(emulator)).toBe(1)

    emulator.control.clearRequests()
    const second = await openInkwell({ env })
    const main = await second.mainWindow()
    await eventually(() => operationsOf(emulator)).toEqual(['validate'])
    await eventually(() => main.evaluate(() => window.latchkey.getState())).toMatchObject({
      status: 'active',
      problem: null,
    })
    await second.close()
    await stop()

    // An attacker's server in place of the gateway: it knows no key and can't sign.
    const impostor = await startEmulator({
      port: Number(new URL(env.LATCHKEY_SERVICE_URL).port),
      accessToken: null,
    })
    onTestFinished(() => impostor.close())
    const third = await openInkwell({ env })
    const warned = await third.mainWindow()
    await eventually(() => warned.evaluate(() => window.latchkey.getState())).toMatchObject({
      status: 'grace',
      entitled: true,
      problem: { code: 'untrusted-answer' },
    })
  })

  test('a device that was activated without the gateway keeps its seat', async ({
    openInkwell,
    emulator,
  }) => {
    const before = await openInkwell()
    await activateInkwell(before, emulator.licenseKey)
    await before.close()

    const { env } = await startGateway(emulator)
    const after = await openInkwell({ env })
    const main = await after.mainWindow()
    await eventually(() => main.evaluate(() => window.latchkey.getState())).toMatchObject({
      status: 'active',
    })
    expect(seatsInUse(emulator)).toBe(1)
    expect(operationsOf(emulator).filter((operation) => operation === 'activate')).toHaveLength(1)
  })

  test('the built app holds no access token', async ({ emulator }) => {
    const built = await readdir(path.join(appPath, 'out'), { recursive: true, withFileTypes: true })
    const texts = await Promise.all(
      built
        .filter((entry) => entry.isFile())
        .map((entry) => readFile(path.join(entry.parentPath, entry.name), 'latin1')),
    )
    expect(texts.length).toBeGreaterThan(2)
    for (const text of texts) {
      expect(text).not.toContain(emulator.accessToken)
      // Neither the emulator's well-known token nor any other token in an option.
      expect(text).not.toMatch(/accessToken\s*:\s*["'`]\w/u)
    }
  })
})
