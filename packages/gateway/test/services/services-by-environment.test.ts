import { allowConcurrentTests } from '@latchkey/scripts/test/side-by-side'
import { serviceNames, serviceSettings, serviceVariableNames } from '@latchkey/services/environment'
import { describe, expect, test } from 'vitest'
import { listOf } from '../../src/gateway-options.ts'
import { environmentHelp, readGatewayEnvironment } from '../../src/node/environment.ts'
import { accessToken, keyName } from '../gateway-fixture.ts'
import { startGatewayHere } from '../gateway-process.ts'
import { environmentOf, fingerprint, routesAt, startFace } from './face-fixture.ts'

allowConcurrentTests()

const usable: Record<string, Record<string, string>> = {
  dodo: { LATCHKEY_DODO_PRODUCT_ID: 'pdt_0NVz1J3QmL2, pdt_2', LATCHKEY_DODO_API_KEY: 'secret-1' },
  keygen: { LATCHKEY_KEYGEN_ACCOUNT: 'acme', LATCHKEY_KEYGEN_PRODUCT: 'inkwell' },
  'lemon-squeezy': {
    LATCHKEY_LEMON_SQUEEZY_STORE_ID: '1',
    LATCHKEY_LEMON_SQUEEZY_PRODUCT_ID: '4,5',
    LATCHKEY_LEMON_SQUEEZY_API_KEY: 'secret-1',
  },
  polar: {
    LATCHKEY_POLAR_ORGANIZATION_ID: 'fda84e25-7b55-4d67-916d-60ead04ff72f',
    LATCHKEY_POLAR_ACCESS_TOKEN: 'secret-1',
  },
}

const problemsOf = (variables: Record<string, string>): string => {
  try {
    readGatewayEnvironment(variables)
    return ''
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

describe.concurrent.each(serviceNames)('latchkey-gateway in front of %s', (face) => {
  test('starts from its environment and serves a device, without a secret in its log', async () => {
    const emulator = await startFace(face)
    const env = { LATCHKEY_SERVICE: face, ...environmentOf(face, emulator) }
    const { baseUrl, lines } = await startGatewayHere(env)
    const license = routesAt(baseUrl).of(emulator.licenseKey)
    const { id } = (await license.activate(keyName)).body.key
    expect((await license.keys()).body.data).toMatchObject([{ id, name: keyName }])
    expect(await license.validate(id, fingerprint)).toMatchObject({ status: 200 })
    expect(await license.deactivate(id)).toMatchObject({ status: 200 })
    expect(emulator.control.keys(emulator.demoLicense.id)).toEqual([])
    const logged = JSON.stringify(lines())
    expect(logged).not.toContain(accessToken)
    expect(logged).not.toContain(emulator.licenseKey)
  })

  test('names every missing setting without showing values', () => {
    const { variables } = serviceSettings[face]
    const message = problemsOf({ LATCHKEY_SERVICE: face })
    for (const { name, isRequired } of variables) {
      if (isRequired) expect(message).toContain(`${name} is missing`)
    }
    expect(problemsOf({ LATCHKEY_SERVICE: face, ...usable[face] })).toBe('')
  })

  test('suggests the correct name of a mistyped setting', () => {
    for (const name of serviceSettings[face].variables.map((variable) => variable.name)) {
      const mistyped = name.replace(/(.)(.)$/u, '$2$1')
      if (mistyped === name || serviceVariableNames.includes(mistyped)) continue
      const message = problemsOf({ LATCHKEY_SERVICE: face, ...usable[face], [mistyped]: 'secret-value' })
      expect(message).toBe(`${mistyped} is not a setting of the gateway. Did you mean ${name}?`)
    }
  })
})

test.each([
  ['LATCHKEY_POLAR_ORGANIZATION_ID', 'polar', 'acme'],
  ['LATCHKEY_LEMON_SQUEEZY_STORE_ID', 'lemon-squeezy', 'my-store'],
  ['LATCHKEY_LEMON_SQUEEZY_PRODUCT_ID', 'lemon-squeezy', '4;5'],
  ['LATCHKEY_DODO_PRODUCT_ID', 'dodo', 'inkwell!'],
  ['LATCHKEY_KEYGEN_PUBLIC_KEY', 'keygen', 'not-hexadecimal'],
  ['LATCHKEY_KEYGEN_BASE_URL', 'keygen', 'http://licenses.example'],
  ['LATCHKEY_KEYGEN_ENTITLEMENTS', 'keygen', 'entitled'],
  ['LATCHKEY_LEMON_SQUEEZY_TEST_MODE', 'lemon-squeezy', 'yes'],
  ['LATCHKEY_DODO_TEST_MODE', 'dodo', 'on'],
  ['LATCHKEY_POLAR_SANDBOX', 'polar', '2'],
])('an invalid %s is refused by name without showing its value', (name, face, value) => {
  const message = problemsOf({ LATCHKEY_SERVICE: face, ...usable[face], [name]: value })
  expect(message).toMatch(new RegExp(`^${name} must be .+\\.$`, 'u'))
  expect(message).not.toContain(value)
})

test('a secret with a line break is refused without showing it', () => {
  const message = problemsOf({
    LATCHKEY_SERVICE: 'polar',
    ...usable['polar'],
    LATCHKEY_POLAR_ACCESS_TOKEN: 'polar_oat\nsecret-value',
  })
  expect(message).toMatch(/^LATCHKEY_POLAR_ACCESS_TOKEN /u)
  expect(message).not.toContain('secret-value')
})

test.each([
  ['polr', ' Did you mean polar?'],
  ['Lemon-Squeezy', ' Did you mean lemon-squeezy?'],
  ['gumroad', ''],
])('an unknown service %s is refused with the list of known ones', (name, hint) => {
  expect(problemsOf({ LATCHKEY_SERVICE: name })).toBe(
    `LATCHKEY_SERVICE must be one of commerce, dodo, keygen, lemon-squeezy, polar, or several with commas.${hint}`,
  )
})

test('the settings of the commerce service are only required if it is used', () => {
  expect(problemsOf({ ...usable['polar'] })).toBe(
    'LATCHKEY_UPSTREAM is missing. For another service, set LATCHKEY_SERVICE.\nLATCHKEY_ACCESS_TOKEN is missing.',
  )
  expect(problemsOf({ LATCHKEY_SERVICE: 'polar,commerce', ...usable['polar'] })).toContain(
    'LATCHKEY_UPSTREAM is missing.',
  )
  expect(problemsOf({ LATCHKEY_SERVICE: 'polar,polar', ...usable['polar'] })).toContain('twice')
})

test('--help lists the settings of every service', () => {
  for (const name of [...serviceVariableNames, 'LATCHKEY_SERVICE']) expect(environmentHelp).toContain(name)
})

test.each([
  ['true', true],
  [' TRUE ', true],
  ['1', true],
  ['false', false],
  ['0', false],
  ['', false],
])('with LATCHKEY_POLAR_SANDBOX=%j, the gateway asks the sandbox: %s', (value, isSandbox) => {
  const variables = { LATCHKEY_SERVICE: 'polar', ...usable['polar'], LATCHKEY_POLAR_SANDBOX: value }
  const [upstream] = listOf(readGatewayEnvironment(variables).options.upstream)
  expect(String(upstream?.baseUrl).includes('sandbox')).toBe(isSandbox)
})

test('LATCHKEY_KEYGEN_ENTITLEMENTS=true gives a license its features', async () => {
  const emulator = await startFace('keygen')
  const env = { LATCHKEY_SERVICE: 'keygen', ...environmentOf('keygen', emulator) }
  const featuresWith = async (entitlements: Record<string, string>) => {
    const { baseUrl } = await startGatewayHere({ ...env, ...entitlements })
    const { body } = await routesAt(baseUrl).of(emulator.licenseKey).activate(keyName)
    return body.license.features
  }
  expect(await featuresWith({})).toBeUndefined()
  expect(await featuresWith({ LATCHKEY_KEYGEN_ENTITLEMENTS: 'true' })).toEqual(expect.any(Array))
})

test('offline activation without a signing key is named beside what else is wrong', () => {
  const message = problemsOf({ LATCHKEY_OFFLINE_DAYS: '30' })
  for (const name of ['LATCHKEY_UPSTREAM is missing', 'LATCHKEY_OFFLINE_DAYS needs LATCHKEY_SIGNING_KEY'])
    expect(message).toContain(name)
})
