import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { type Emulator, startEmulator } from '@latchkey/emulator'
import { directAccess, startGatewayInFront } from '@latchkey/scripts/e2e/service-under-test'
import { describe, expect, onTestFinished } from 'vitest'
import { activateInkwell, appPath, environmentFor, eventually, seatsInUse, test } from './inkwell.ts'

/** A vendor's installed gateway in front of the service, and the settings an app needs for it. */
async function startGateway(emulator: Emulator) {
  const { access, operations, forget, stop } = await startGatewayInFront(emulator)
  onTestFinished(stop)
  return { env: environmentFor(access), baseUrl: access.service.baseUrl, operations, forget, stop }
}

describe('behind a gateway', () => {
  test('activates without a token, and then accepts no other server', async ({ openInkwell, emulator }) => {
    const { env, baseUrl, operations, forget, stop } = await startGateway(emulator)
    const first = await openInkwell({ env })
    await activateInkwell(first, emulator.licenseKey)
    await first.close()
    expect(seatsInUse(emulator)).toBe(1)

    forget()
    const second = await openInkwell({ env })
    const main = await second.mainWindow()
    await eventually(operations).toEqual(['validate'])
    await eventually(() => main.evaluate(() => window.latchkey.getState())).toMatchObject({
      status: 'active',
      problem: null,
    })
    await second.close()
    await stop()

    // An attacker's server in place of the gateway: it knows no key and can't sign.
    const impostor = await startEmulator({
      port: Number(new URL(baseUrl).port),
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
    const before = await openInkwell({ env: environmentFor(directAccess(emulator)) })
    await activateInkwell(before, emulator.licenseKey)
    await before.close()

    const { env, operations } = await startGateway(emulator)
    const after = await openInkwell({ env })
    const main = await after.mainWindow()
    await eventually(() => main.evaluate(() => window.latchkey.getState())).toMatchObject({
      status: 'active',
    })
    expect(seatsInUse(emulator)).toBe(1)
    await eventually(operations).toContain('validate')
    expect(operations()).not.toContain('activate')
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
