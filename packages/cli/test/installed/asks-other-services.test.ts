import { type Emulator, startEmulator } from '@latchkey/emulator'
import { startInstalledGateway } from '@latchkey/scripts/packages/start-installed-gateway'
import { onTestEnd } from '@latchkey/scripts/test/side-by-side'
import { type ServiceName, serviceNames } from '@latchkey/services/environment'
import { describe, expect, test } from 'vitest'
import { serviceEnvironment } from '../service-environment.ts'
import { describeLatchkey, latchkey, newestNode } from './installed-cli.ts'

const secret = 'secret-that-must-not-leak-0123456789'
const laptop = 'Laptop [0123456789abcdef]'

/** An emulated service, and environment variables with the vendor's credentials. */
async function startFace(face: ServiceName) {
  const emulator = await startEmulator({ face, accessToken: secret })
  onTestEnd(() => emulator.close())
  const env = serviceEnvironment(face, emulator)
  return { emulator, env, licenseKey: emulator.licenseKey, licenseId: emulator.demoLicense.id }
}

describeLatchkey((node) => {
  // Each service is tested only on the newest Node.
  const faces =
    node === newestNode || process.env['LATCHKEY_LONG'] === '1' ? serviceNames : (['polar'] as const)
  describe.each(faces)('for %s', (face) => {
    async function start() {
      const scene = await startFace(face)
      const run = (words: readonly string[], env = scene.env) =>
        latchkey(
          node,
          { baseUrl: '', accessToken: null } satisfies Pick<Emulator, 'baseUrl' | 'accessToken'>,
          words,
          {
            env,
          },
        )
      return { ...scene, run }
    }

    test('lists, shows and releases devices', async () => {
      const { emulator, run, licenseKey, licenseId } = await start()
      emulator.control.addKey(licenseId, laptop)
      const listed = await run(['keys', 'list', `Key: ${licenseKey}`])
      // Node 22.0 warns that its Ed25519 is experimental.
      expect(listed).toMatchObject({ exitCode: 0, err: expect.not.stringContaining('latchkey') })
      expect(listed.out).toContain('Laptop')
      const json = await run(['--json', 'keys', 'list', licenseKey])
      const [key] = JSON.parse(json.out).keys
      // People and mail programs change the case of a UUID.
      const typed = /^[\da-f]{8}-/u.test(key.id) ? key.id.toUpperCase() : key.id
      const shown = await run(['keys', 'show', licenseKey, typed])
      expect(shown).toMatchObject({ exitCode: 0, out: expect.stringContaining(key.id) })
      const released = await run(['keys', 'release', licenseKey, typed])
      expect(released).toMatchObject({ exitCode: 0, out: expect.stringContaining('Released ') })
      expect(emulator.control.keys(licenseId)).toEqual([])
      expect(await run(['keys', 'release', licenseKey, key.id])).toMatchObject({ exitCode: 5 })
    }, 60_000)

    test('reports what an app would decide, even if no device is activated', async () => {
      const { emulator, run, licenseKey, licenseId } = await start()
      const good = await run(['license', 'check', licenseKey])
      expect(good).toMatchObject({ exitCode: 0, out: expect.stringMatching(/^entitled: /u) })
      expect(good.out).toMatch(/^seats: 0\/3 in use, 3 free$/mu)
      emulator.control.suspend(licenseId)
      const bad = await run(['--json', 'license', 'check', licenseKey])
      expect(bad.exitCode).toBe(1)
      expect(JSON.parse(bad.out)).toMatchObject({ decision: 'suspended' })
    }, 60_000)

    test('the doctor finds no problem, and reports a wrong secret without showing it', async () => {
      const { run, env, licenseKey } = await start()
      const healthy = await run(['doctor', '--license', licenseKey])
      expect(healthy, healthy.out).toMatchObject({ exitCode: 0 })
      expect(healthy.out).toMatch(/^ok {4}list keys +0 keys$/mu)
      // Keygen needs no secret: the license key is the credential.
      if (face === 'keygen') return
      const wrong = Object.fromEntries(
        Object.entries(env).map(([name, value]) => [name, value === secret ? 'another-secret-value' : value]),
      )
      const sick = await run(['doctor', '--license', licenseKey], wrong)
      expect(sick.exitCode).toBe(1)
      expect(sick.out).toMatch(/^BAD {3}access token /mu)
      expect(sick.out + sick.err).not.toContain('another-secret-value')
    }, 60_000)

    test('checks a gateway from outside', async () => {
      const { emulator, env, run, licenseKey, licenseId } = await start()
      const gateway = await startInstalledGateway(env)
      onTestEnd(gateway.stop)
      const checked = await run(
        ['doctor', '--activate', '--gateway', gateway.baseUrl, '--license', licenseKey],
        {},
      )
      expect(checked, checked.out).toMatchObject({ exitCode: 0, err: '' })
      expect(checked.out).toContain('freed the seat again')
      expect(emulator.control.keys(licenseId)).toEqual([])
    }, 60_000)
  })

  test('reports a wrong setting, a key of another service and an unsupported command', async () => {
    const { env, licenseKey } = await startFace('polar')
    const run = (words: readonly string[], more: Record<string, string> = {}) =>
      latchkey(node, { baseUrl: '', accessToken: null }, words, { env: { ...env, ...more } })
    expect(await run(['keys', 'list', licenseKey], { LATCHKEY_POLAR_ORGANIZATION_ID: 'acme' })).toMatchObject(
      {
        exitCode: 2,
        err: expect.stringMatching(/^latchkey: LATCHKEY_POLAR_ORGANIZATION_ID must be /u),
      },
    )
    expect(await run(['keys', 'list', licenseKey], { LATCHKEY_SERVICE: 'gumroad' })).toMatchObject({
      exitCode: 2,
    })
    const unknown = licenseKey.replace(/\d/gu, '7')
    expect(await run(['license', 'check', unknown])).toMatchObject({
      exitCode: 5,
      err: 'latchkey: The service doesn’t know this license key. If the license key is right, it belongs to another organization, account or product, or to the test mode. Check LATCHKEY_POLAR_ORGANIZATION_ID and LATCHKEY_POLAR_BASE_URL.\n',
    })
    const otherBenefit = await run(['license', 'check', licenseKey], {
      LATCHKEY_POLAR_BENEFIT_ID: '00000000-0000-4000-8000-000000000000',
    })
    expect(`${otherBenefit.out}${otherBenefit.err}`).toMatch(
      /belongs to another product, store or plan\. Check LATCHKEY_POLAR_BENEFIT_ID\.\n$/u,
    )
    const doctor = await run(['doctor', '--license', unknown])
    expect(doctor).toMatchObject({ exitCode: 1, err: '' })
    expect(doctor.out).toMatch(
      /^BAD {3}license {7}the service doesn’t know this license key\. .+ Check LATCHKEY_POLAR_ORGANIZATION_ID and LATCHKEY_POLAR_BASE_URL\.$/mu,
    )
    expect(doctor.out).not.toContain('list keys')
    expect(await run(['customers', 'list'])).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining('Only the commerce service has this command.'),
    })
  }, 60_000)
})
