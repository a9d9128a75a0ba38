import { startEmulator } from '@latchkey/emulator'
import { createGateway, generateSigningKey, leaseKeysOf } from '@latchkey/gateway'
import type { LicenseService } from '@latchkey/services'
import { serviceSettings } from '@latchkey/services/environment'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createLeaseVerifier } from '../../src/main/adapters/leases.ts'
import { type ProblemCode, problemMessages } from '../../src/shared/problem.ts'
import { createTestDevice, type TestDevice } from '../core/fixture.ts'
import { reach, reachGateway } from '../doubles/app-service.ts'
import { type AdapterName, adapterNames } from './faces.ts'

/** What is wrong with an app's settings, its license key, or the service's answers. */
interface Mistake {
  readonly settings?: Readonly<Record<string, string | undefined>>
  /** Changes the fields of every answer. */
  readonly fields?: Readonly<Record<string, unknown>>
  readonly pasted?: (licenseKey: string) => string
  /** The only place where the mistake can be noticed. */
  readonly only?: Place
  readonly code: ProblemCode
}

const other = 'b6724bc8-0000-4000-8000-000000000000'
const otherCase = (text: string): string => {
  const upper = text.toUpperCase()
  return upper === text ? text.toLowerCase() : upper
}

const mistakes: Readonly<Record<AdapterName, Readonly<Record<string, Mistake>>>> = {
  dodo: {
    'the wrong product': { settings: { productId: 'pdt_other' }, code: 'wrong-product' },
    'a license key of another vendor': {
      fields: { 'product.product_id': 'pdt_theirs' },
      code: 'wrong-product',
    },
    'a license key in the wrong case': { pasted: otherCase, code: 'license-not-found' },
    'a status that is new': {
      fields: { status: 'paused' },
      code: 'misconfigured',
      only: 'behind the gateway',
    },
  },
  keygen: {
    'the wrong account': { settings: { account: 'another' }, code: 'misconfigured' },
    'the wrong product': { settings: { product: other }, code: 'wrong-product' },
    'a license key in the wrong case': { pasted: otherCase, code: 'license-not-found' },
    'a status that is new': { fields: { 'meta.code': 'FROZEN', 'meta.valid': false }, code: 'misconfigured' },
  },
  'lemon-squeezy': {
    'the wrong store': { settings: { storeId: '999' }, code: 'wrong-product' },
    'the wrong product': { settings: { productId: '999' }, code: 'wrong-product' },
    'a license key of another vendor': { fields: { 'meta.store_id': 999 }, code: 'wrong-product' },
    'a license key in the wrong case': { pasted: otherCase, code: 'license-not-found' },
    'a license key of test mode': { fields: { 'license_key.test_mode': true }, code: 'test-license-key' },
    'a status that is new': { fields: { 'license_key.status': 'paused' }, code: 'misconfigured' },
  },
  polar: {
    'the wrong organization': { settings: { organizationId: other }, code: 'license-not-found' },
    'the wrong benefit': { settings: { benefitId: other }, code: 'wrong-product' },
    'a license key in the wrong case': { pasted: otherCase, code: 'license-not-found' },
    'a status that is new': {
      fields: { status: 'paused', 'license_key.status': 'paused' },
      code: 'misconfigured',
    },
    'a status that is new, without a benefit': {
      settings: { benefitId: undefined },
      fields: { status: 'paused', 'license_key.status': 'paused' },
      code: 'misconfigured',
    },
  },
}

const signingKey = await generateSigningKey()
const { keys: leaseKeys } = await leaseKeysOf([signingKey])

/** Where the adapter is: in a packaged app, or in the vendor's gateway with the vendor's secret. */
type Place = 'in the app' | 'behind the gateway'
const places: readonly Place[] = ['in the app', 'behind the gateway']

function deviceOf(service: LicenseService, place: Place): TestDevice {
  if (place === 'in the app') {
    const commerce = reach({ service, fetch, allowsTestLicense: false })
    return createTestDevice(null, { service: commerce })
  }
  const signing = { keys: [signingKey], leaseDays: 7 }
  const gateway = createGateway({ upstream: service, signing, limits: { perLicense: false } })
  const leases = createLeaseVerifier(leaseKeys)
  const commerce = reachGateway({
    baseUrl: 'https://licenses.vendor.example/v1',
    licenseKeys: 'any',
    leases,
    fetch: async (request, init) => gateway(new Request(request, init)),
  })
  return createTestDevice(null, { service: commerce, leases })
}

/** The vendor's secrets that a gateway needs. */
function secretsOf(name: AdapterName): Readonly<Record<string, string>> {
  const secrets = serviceSettings[name].variables.filter(({ isSecret, isRequired }) => isSecret && isRequired)
  return Object.fromEntries(secrets.map(({ option }) => [option, 'demo']))
}

/** An app that activates. */
async function activate(
  name: AdapterName,
  place: Place,
  { settings = {}, fields, pasted = (key) => key }: Mistake,
) {
  const emulator = await startEmulator({ accessToken: 'demo', face: name })
  onTestFinished(() => emulator.close())
  const { baseUrl, control, demoLicense, licenseKey } = emulator
  const { publicKey: _, ...own } = emulator.settings
  if (fields !== undefined) control.faults.inject({ fault: 'set-fields', fields })
  const secrets = place === 'in the app' ? {} : secretsOf(name)
  const service = serviceSettings[name].make({ ...own, ...secrets, baseUrl, ...settings })
  const device = deviceOf(service, place)
  await device.launch()
  const result = await device.core.activate(pasted(licenseKey))
  return { emulator, result, device, seats: control.keys(demoLicense.id).length }
}

const rows = adapterNames.flatMap((name) => places.map((place) => [name, place] as const))

describe.each(rows)('an app that is sold through %s, with the adapter %s', (name, place) => {
  const here = Object.entries(mistakes[name]).filter(([, { only = place }]) => only === place)
  test.each(here)('refuses %s in its own words, and takes no seat', async (_what, mistake) => {
    const { result, device, seats } = await activate(name, place, mistake)
    expect(result).toMatchObject({
      ok: false,
      problem: { code: mistake.code, message: problemMessages[mistake.code] },
    })
    expect(seats).toBe(0)
    const { activation, owed } = await device.recordOnDisk()
    expect(activation).toBeNull()
    // Of what it can't read, a gateway doesn't know whether it is about a seat that was taken, so the device looks for one.
    const mayHaveActed = place === 'behind the gateway' && mistake.code === 'misconfigured'
    expect(owed.filter(({ activationId }) => activationId !== null || !mayHaveActed)).toEqual([])
  })
})

test('each of these problems has a sentence of its own', () => {
  const codes = Object.values(mistakes).flatMap((rows) => Object.values(rows).map(({ code }) => code))
  const sentences = [...new Set(codes)].map((code) => problemMessages[code])
  expect(new Set(sentences).size).toBe(sentences.length)
})

describe.each([
  ['lemon-squeezy', 'in the app'],
  ['lemon-squeezy', 'behind the gateway'],
  ['polar', 'in the app'],
  ['polar', 'behind the gateway'],
  ['dodo', 'behind the gateway'],
] as const)('a device that was activated through %s, with the adapter %s', (name, place) => {
  test('goes on if the license gets a status that is new, because the service still calls it valid', async () => {
    const { emulator, device } = await activate(name, place, { code: 'unexpected' })
    emulator.control.faults.inject({
      fault: 'set-fields',
      fields: { status: 'paused', 'license_key.status': 'paused' },
    })
    await device.core.validate()
    expect(device.state).toMatchObject({ status: 'active', entitled: true, problem: null })
  })
})
