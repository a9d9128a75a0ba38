import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Emulator } from '@latchkey/emulator'
import { prepareInstalled, runInstalled, startInstalled } from '@latchkey/scripts/packages/start-installed'
import { onTestEnd } from '@latchkey/scripts/test/side-by-side'
import { beforeAll, expect, test, vi } from 'vitest'
import { emulatorForTest } from '../run-cli.ts'
import { describeLatchkey, latchkey, startLatchkey } from './installed-cli.ts'

beforeAll(() => prepareInstalled('gateway'), 180_000)

describeLatchkey((node) => {
  /** The address of an installed gateway that forwards to this emulator. */
  async function gatewayOf(
    emulator: Emulator,
    { upstream = emulator.baseUrl, env = {} }: { upstream?: string; env?: Record<string, string> } = {},
  ): Promise<string> {
    const gateway = await startInstalled({
      name: 'gateway',
      node,
      env: {
        LATCHKEY_UPSTREAM: upstream,
        LATCHKEY_ACCESS_TOKEN: emulator.accessToken ?? '',
        PORT: '0',
        HOST: '127.0.0.1',
        ...env,
      },
    })
    onTestEnd(() => void gateway.process.kill('SIGKILL'))
    await gateway.says('"port"')
    // A warning about a setting comes first.
    const listening = gateway
      .out()
      .split('\n')
      .find((line) => line.includes('"port"'))
    const { port, basePath } = JSON.parse(listening ?? '')
    return `http://127.0.0.1:${port}${basePath}`
  }

  test('sends all five requests through the gateway, without the token, and frees the seat again', async () => {
    const emulator = await emulatorForTest()
    const { id } = emulator.demoLicense
    emulator.control.addKey(id, 'Studio')
    const gateway = await gatewayOf(emulator)
    const words = ['doctor', '--activate', '--gateway', gateway, '--license', id]
    const run = await latchkey(node, { baseUrl: '', accessToken: 'the-vendors-token' }, words)
    expect(run, run.out).toMatchObject({ exitCode: 0, err: '' })
    for (const route of ['list keys', 'activate', 'show key', 'validate', 'deactivate']) {
      expect(run.out).toMatch(new RegExp(`^ok {4}${route} `, 'mu'))
    }
    expect(run.out).toContain('freed the seat again')
    expect(run.out + run.err).not.toContain(id)
    expect(emulator.control.keys(id).map(({ name }) => name)).toEqual(['Studio'])
    const operations = new Set(emulator.control.requests().map(({ operation }) => operation))
    expect([...operations].sort()).toEqual(['activate', 'deactivate', 'key', 'keys', 'validate'])
  })

  test('takes no seat without --activate, and shows and validates a device that is there', async () => {
    const emulator = await emulatorForTest()
    const { id } = emulator.demoLicense
    emulator.control.addKey(id, 'Studio')
    const gateway = await gatewayOf(emulator)
    const run = await latchkey(node, emulator, ['doctor', '--gateway', gateway, '--license', id])
    expect(run, run.out).toMatchObject({ exitCode: 0, err: '' })
    expect(run.out).toMatch(
      /^note {2}activate +not tried: --activate takes a seat, .*\nok {4}show key .*\nok {4}validate /mu,
    )
    const operations = new Set(emulator.control.requests().map(({ operation }) => operation))
    expect([...operations].sort()).toEqual(['key', 'keys', 'validate'])
  })

  test('shows the key that signs leases, or what to set if none does', async () => {
    const emulator = await emulatorForTest()
    const { id } = emulator.demoLicense
    const generated = await runInstalled({ name: 'gateway', node, args: ['keys', 'generate', '--json'] })
    const { signingKey, leaseKeys } = JSON.parse(generated.out)
    const env = { LATCHKEY_SIGNING_KEY: JSON.stringify(signingKey) }
    const leasesOf = async (gateway: string) => {
      const run = await latchkey(node, emulator, [
        '--json',
        'doctor',
        '--activate',
        '--gateway',
        gateway,
        '--license',
        id,
      ])
      expect(run, run.out).toMatchObject({ exitCode: 0, err: '' })
      return JSON.parse(run.out).findings.filter(({ check }: { check: string }) => check === 'leases')
    }
    expect(await leasesOf(await gatewayOf(emulator, { env }))).toEqual([
      { check: 'leases', verdict: 'good', detail: expect.stringContaining(leaseKeys.keys[0].kid) },
    ])
    const unsigned = await gatewayOf(emulator)
    const detail = expect.stringMatching(/^no answer is signed.*LATCHKEY_SIGNING_KEY.*keys generate/u)
    expect(await leasesOf(unsigned)).toEqual([{ check: 'leases', verdict: 'note', detail }])
    const { out } = await latchkey(node, emulator, ['doctor', '--gateway', unsigned, '--license', id])
    expect(out).toMatch(/^note {2}leases +no answer is signed/mu)
    expect(emulator.control.keys(id)).toEqual([])
  })

  test('names the request that fails, with exit code 1, and the seat to free by hand', async () => {
    const emulator = await emulatorForTest()
    const { id } = emulator.demoLicense
    const gateway = await gatewayOf(emulator)
    emulator.control.faults.inject({ fault: 'status', status: 422, operation: 'deactivate' })
    const words = ['--json', 'doctor', '--activate', '--gateway', gateway, '--license', id]
    const run = await latchkey(node, emulator, words)
    expect(run.exitCode).toBe(1)
    const bad = JSON.parse(run.out).findings.filter(({ verdict }: { verdict: string }) => verdict === 'bad')
    expect(bad).toEqual([
      {
        check: 'deactivate',
        verdict: 'bad',
        detail: expect.stringMatching(/^the seat of "Latchkey test \[[0-9a-f]{16}\]" could not be freed: /u),
      },
    ])
  })

  test('finds and frees a seat whose activation got no answer', async () => {
    const emulator = await emulatorForTest()
    const { id } = emulator.demoLicense
    const gateway = await gatewayOf(emulator)
    emulator.control.faults.inject({ fault: 'reset', operation: 'activate', when: 'after-acting' })
    const run = await latchkey(node, emulator, [
      'doctor',
      '--activate',
      '--gateway',
      gateway,
      '--license',
      id,
    ])
    expect(run.out).toMatch(/^BAD {3}activate /mu)
    expect(run.out).toMatch(/^ok {4}deactivate /mu)
    expect(emulator.control.keys(id)).toEqual([])
  })

  test('a full license is a note, not a failure, and no seat is taken', async () => {
    const emulator = await emulatorForTest()
    const { id, activation_limit: seats } = emulator.demoLicense
    for (let seat = 0; seat < (seats ?? 0); seat += 1) emulator.control.addKey(id, `Device ${seat}`)
    const gateway = await gatewayOf(emulator)
    const run = await latchkey(node, emulator, [
      'doctor',
      '--activate',
      '--gateway',
      gateway,
      '--license',
      id,
    ])
    expect(run, run.out).toMatchObject({ exitCode: 0 })
    expect(run.out).toMatch(/^note {2}activate .*free seat/mu)
    const unknown = await latchkey(node, emulator, [
      'doctor',
      '--activate',
      '--gateway',
      gateway,
      '--license',
      randomUUID(),
    ])
    expect(unknown.exitCode).toBe(1)
    expect(unknown.out).toMatch(/^BAD {3}license .*doesn’t know this license key/mu)
    expect(emulator.control.keys(id)).toHaveLength(seats ?? 0)
  })

  test.each([
    ['keygen', 'LATCHKEY_KEYGEN_PRODUCT', 'activate'],
    ['lemon-squeezy', 'LATCHKEY_LEMON_SQUEEZY_PRODUCT_ID', 'license'],
  ] as const)(
    'a wrong product in the settings of the gateway is a failure: %s',
    async (face, name, check) => {
      const service = await emulatorForTest({ face })
      const env = { ...settingsOf(service, face), LATCHKEY_SERVICE: face, [name]: '999' }
      const gateway = await gatewayOf(service, { upstream: '', env })
      const words = ['doctor', '--activate', '--gateway', gateway, '--license', service.licenseKey]
      const run = await latchkey(node, service, words)
      expect(run.exitCode, run.out).toBe(1)
      const line = `^BAD {3}${check} .* check the product and store settings of the gateway`
      expect(run.out).toMatch(new RegExp(line, 'mu'))
    },
  )

  test.each([
    ['list-not-allowed', { fault: 'status', status: 403 }],
    ['list-unreadable', { fault: 'set-fields', fields: { data: 'none' } }],
  ] as const)('tries the other requests if the gateway has no list: %s', async (code, fault) => {
    const emulator = await emulatorForTest()
    const { id } = emulator.demoLicense
    const gateway = await gatewayOf(emulator)
    emulator.control.faults.inject({ ...fault, operation: 'keys' })
    const run = await latchkey(node, emulator, [
      'doctor',
      '--activate',
      '--gateway',
      gateway,
      '--license',
      id,
    ])
    expect(run, run.out).toMatchObject({ exitCode: 0, err: '' })
    expect(run.out.match(/list keys/gu)).toHaveLength(1)
    expect(run.out).toMatch(new RegExp(`^note {2}list keys .*takes another seat \\(${code}\\)$`, 'mu'))
    expect(run.out).toMatch(/^ok {4}activate .*\n^ok {4}show key .*\n^ok {4}validate /mu)
    expect(run.out).toMatch(/^ok {4}deactivate +freed the seat again, which no list can confirm$/mu)
    expect(run.out).toMatch(/^note {2}leases /mu)
    expect(run.out).not.toContain('access token')
    expect(emulator.control.keys(id)).toEqual([])
    const own = await latchkey(node, { ...emulator, baseUrl: gateway }, ['doctor', '--license', id])
    expect(own.out).toMatch(new RegExp(`^note {2}list keys .* \\(${code}\\)$`, 'mu'))
    expect(own.exitCode).toBe(0)
  })

  test('activates to tell a license without devices from an unknown one behind several services', async () => {
    const [emulator, polar] = [await emulatorForTest(), await emulatorForTest({ face: 'polar' })]
    const gateway = await gatewayOf(emulator, { env: besidePolar(polar) })
    const words = ['doctor', '--activate', '--gateway', gateway, '--license']
    const run = await latchkey(node, emulator, [...words, emulator.demoLicense.id])
    expect(run, run.out).toMatchObject({ exitCode: 0, err: '' })
    expect(run.out).toMatch(/^ok {4}activate .*\n^ok {4}show key .*\n^ok {4}validate /mu)
    expect(run.out).toMatch(/^ok {4}deactivate +freed the seat again$/mu)
    expect(emulator.control.keys(emulator.demoLicense.id)).toEqual([])
    const unknownKey = randomUUID()
    const listed = await latchkey(node, { baseUrl: gateway, accessToken: null }, ['keys', 'list', unknownKey])
    const cannotTell = /Behind a gateway for several services, a license without devices looks the same/u
    expect(listed).toMatchObject({ exitCode: 5, out: '', err: expect.stringMatching(cannotTell) })
    const unknown = await latchkey(node, emulator, [...words, unknownKey])
    expect(unknown.exitCode).toBe(1)
    expect(unknown.out.match(/^(?:BAD|note) .*$/gmu)).toEqual([
      expect.stringMatching(/^note {2}list keys .*several services/u),
      expect.stringMatching(/^BAD {3}license .*doesn’t know this license key/u),
    ])
  })

  test('frees a late seat of a license that the gateway of several services doesn’t know yet', async () => {
    const [emulator, polar] = [await emulatorForTest(), await emulatorForTest({ face: 'polar' })]
    const { id } = emulator.demoLicense
    const gateway = await gatewayOf(emulator, { env: besidePolar(polar) })
    const { faults } = emulator.control
    faults.inject({ fault: 'reset', operation: 'activate', when: 'after-acting' })
    const { id: hidden } = faults.inject({ fault: 'set-fields', fields: { data: [] }, operation: 'keys' })
    const run = latchkey(node, emulator, ['doctor', '--activate', '--gateway', gateway, '--license', id])
    await vi.waitFor(() => {
      const operations = emulator.control.requests().map(({ operation }) => operation)
      expect(operations.join(' ')).toMatch(/activate .*keys/u)
    }, 20_000)
    faults.remove(hidden)
    expect((await run).out).toMatch(/^ok {4}deactivate +freed the seat again$/mu)
    expect(emulator.control.keys(id)).toEqual([])
  })

  test('without a list, names a seat that an unanswered activation may have taken', async () => {
    const emulator = await emulatorForTest()
    const { id } = emulator.demoLicense
    const gateway = await gatewayOf(emulator)
    const { faults } = emulator.control
    faults.inject({ fault: 'status', status: 403, operation: 'keys' })
    const { id: reset } = faults.inject({ fault: 'reset', operation: 'activate', when: 'after-acting' })
    const words = ['doctor', '--activate', '--gateway', gateway, '--license', id]
    const run = await latchkey(node, emulator, words)
    expect(run.exitCode).toBe(1)
    const [{ name } = { name: '' }] = emulator.control.keys(id)
    expect(run.out).toMatch(/^BAD {3}deactivate +the activation may have taken a seat/mu)
    expect(run.out).toContain(`as "${name}", and no list shows it: look for it at your service`)
    faults.remove(reset)
    emulator.control.updateLicense(id, { activation_limit: 1 })
    const full = await latchkey(node, emulator, words)
    expect(full, full.out).toMatchObject({ exitCode: 0 })
    expect(full.out).toMatch(/^note {2}deactivate +not tried: no seat was taken$/mu)
  })

  test('names the setting of a gateway that asks the service without its version segment', async () => {
    const emulator = await emulatorForTest()
    const gateway = await gatewayOf(emulator, { upstream: new URL('/', emulator.baseUrl).href })
    const words = ['doctor', '--activate', '--gateway', gateway, '--license', emulator.demoLicense.id]
    const run = await latchkey(node, emulator, words)
    expect(run.exitCode).toBe(1)
    expect(run.out).toMatch(/^BAD {3}service .*check LATCHKEY_UPSTREAM in its settings/mu)
    expect(run.out.match(/^BAD/gmu)).toHaveLength(1)
    expect(run.out).not.toContain('no gateway answers')
    const elsewhere = await latchkey(node, emulator, [
      ...['doctor', '--gateway', gateway.replace(/v1$/u, 'v2')],
      ...['--license', emulator.demoLicense.id],
    ])
    expect(elsewhere.out).toMatch(/^BAD {3}base URL +no gateway answers at this path/mu)
  })

  test.skipIf(process.platform === 'win32')('Ctrl-C in the midst of it frees the seat', async () => {
    const emulator = await emulatorForTest()
    const { id } = emulator.demoLicense
    const gateway = await gatewayOf(emulator)
    emulator.control.faults.inject({ fault: 'timeout', operation: 'validate' })
    const words = ['doctor', '--activate', '--gateway', gateway, '--license', id]
    const running = await startLatchkey(node, emulator, words)
    await vi.waitFor(() => expect(emulator.control.keys(id)).toHaveLength(1), 20_000)
    running.process.kill('SIGINT')
    expect((await running.ended).exitCode).toBe(130)
    expect(emulator.control.keys(id)).toEqual([])
  })

  test('the token is never sent to a gateway', async () => {
    const authorizations: unknown[] = []
    const server = createServer((request, response) => {
      authorizations.push(request.headers.authorization)
      response.writeHead(404).end()
    }).listen(0, '127.0.0.1')
    onTestEnd(() => void server.close())
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0
    const words = ['doctor', '--gateway', `http://127.0.0.1:${port}/v1`, '--license', randomUUID()]
    await latchkey(node, { baseUrl: '', accessToken: 'the-vendors-token' }, words)
    expect(new Set(authorizations)).toEqual(new Set([undefined]))
  })

  test('--gateway without a license is refused', async () => {
    const emulator = await emulatorForTest()
    const run = await latchkey(node, emulator, ['doctor', '--gateway', emulator.baseUrl])
    expect(run).toMatchObject({ exitCode: 2, err: expect.stringContaining('--license') })
  })
})

/** The environment of a gateway in front of a service of the emulator. */
function settingsOf(
  { settings, accessToken, baseUrl }: Emulator,
  face: 'keygen' | 'lemon-squeezy',
): Record<string, string> {
  return face === 'keygen'
    ? { LATCHKEY_KEYGEN_ACCOUNT: String(settings['account']), LATCHKEY_KEYGEN_BASE_URL: baseUrl }
    : {
        LATCHKEY_LEMON_SQUEEZY_STORE_ID: String(settings['storeId']),
        LATCHKEY_LEMON_SQUEEZY_API_KEY: accessToken ?? '',
        LATCHKEY_LEMON_SQUEEZY_BASE_URL: baseUrl,
      }
}

/** The environment of a gateway that asks Polar before the commerce service. */
function besidePolar({ settings, accessToken, baseUrl }: Emulator): Record<string, string> {
  return {
    LATCHKEY_SERVICE: 'polar,commerce',
    LATCHKEY_POLAR_ORGANIZATION_ID: String(settings['organizationId']),
    LATCHKEY_POLAR_ACCESS_TOKEN: accessToken ?? '',
    LATCHKEY_POLAR_BASE_URL: baseUrl,
  }
}
