import { startEmulator } from '@latchkey/emulator'
import type { LicenseService } from '@latchkey/services'
import { serviceSettings } from '@latchkey/services/environment'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type ProblemCode, problemMessages } from '../../src/shared/problem.ts'
import { createTestDevice, dayMs, minuteMs, type TestDevice, withDate } from '../core/fixture.ts'
import { reach } from '../doubles/app-service.ts'
import { createScriptedService, refusal } from '../doubles/scripted-service.ts'
import { signing, startGateway } from './behind-gateway.ts'
import {
  type AdapterName,
  adapterNames,
  adapterOf,
  type FaceScene,
  keyOfLicense,
  startFace,
} from './faces.ts'

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

/** Where the adapter is: in a packaged app, or in the vendor's gateway with the vendor's secret. */
type Place = 'in the app' | 'behind the gateway'
const places: readonly Place[] = ['in the app', 'behind the gateway']

/** An app that activates. */
async function activate(
  name: AdapterName,
  place: Place,
  { settings = {}, fields, pasted = (key) => key }: Mistake,
  isPackaged = true,
) {
  const emulator = await startEmulator({ accessToken: 'demo', face: name })
  onTestFinished(() => emulator.close())
  const { baseUrl, control, demoLicense, licenseKey } = emulator
  const { publicKey: _, ...own } = emulator.settings
  if (fields !== undefined) control.faults.inject({ fault: 'set-fields', fields })
  const { make, variables } = serviceSettings[name]
  // The vendor's secrets that a gateway needs.
  const secrets = variables.filter(
    ({ isSecret, isRequired }) => isSecret && isRequired && place !== 'in the app',
  )
  const secretValues = Object.fromEntries(secrets.map(({ option }) => [option, 'demo']))
  const service: LicenseService = make({ ...own, ...secretValues, baseUrl, ...settings })
  const device =
    place === 'in the app'
      ? createTestDevice(null, { service: reach({ service, fetch, allowsTestLicense: !isPackaged }) })
      : startGateway({ upstream: service, signing }, { licenseKeys: 'any' }).device()
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
    const { activation, wanted, owed } = await device.recordOnDisk()
    expect([activation, mistake.code === 'misconfigured' ? null : wanted]).toEqual([null, null])
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

test.each([
  ['is not packaged', {}, false],
  ['is packaged with testMode', { testMode: '1' }, true],
] as const)(
  'an app that is tried out takes a license key of test mode: it %s',
  async (_what, settings, isPackaged) => {
    const fields = { 'license_key.test_mode': true }
    const key: Mistake = { settings, fields, code: 'test-license-key' }
    const tried = await activate('lemon-squeezy', 'in the app', key, isPackaged)
    expect(tried).toMatchObject({ result: { ok: true }, seats: 1 })
  },
)

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

const manyProducts = ['lemon-squeezy', 'polar'] as const

/** A device, and a license key of another product, as the service reports it. */
async function start(
  name: (typeof manyProducts)[number],
): Promise<{ scene: FaceScene; device: TestDevice; foreignKey: string; commerce: LicenseService }> {
  const scene = await startFace(name)
  const foreignKey = keyOfLicense(scene, scene.emulator.control.createLicense().id)
  const commerce = reach({
    service: adapterOf[name](scene.emulator),
    fetch: async (request, init) => {
      const isForeign = (await request.clone().text()).includes(foreignKey)
      const answer = await fetch(request, init)
      return withDate(isForeign ? await ofAnotherProduct(name, answer) : answer, device.elapsedMs())
    },
  })
  const device = scene.device({ service: commerce })
  await device.launch()
  await device.core.activate(scene.licenseKey)
  return { scene, device, foreignKey, commerce }
}

async function ofAnotherProduct(name: (typeof manyProducts)[number], answer: Response): Promise<Response> {
  const headers = { date: answer.headers.get('date') ?? '' }
  if (name === 'polar') {
    const detail = 'License key does not match given benefit.'
    return Response.json({ error: 'ResourceNotFound', detail }, { status: 404, headers })
  }
  const body = (await answer.json()) as { meta?: { product_id: number } }
  if (body.meta !== undefined) body.meta.product_id = 999
  return Response.json(body, { status: answer.status, headers })
}

const refused = { ok: false, problem: { code: 'wrong-product' } }

describe.each(manyProducts)('a license key of another product at %s', (name) => {
  test('doesn’t stand in the way of “Activate again” on a device whose seat was freed', async () => {
    const { scene, device, foreignKey } = await start(name)
    const { control } = scene.emulator
    for (const { id } of control.keys(scene.licenseId)) control.removeKey(scene.licenseId, id)
    await device.elapse(3 * dayMs)
    expect(device.state.status).toBe('revoked')
    expect(await device.core.activate(foreignKey)).toMatchObject(refused)
    expect(await device.core.reactivate()).toMatchObject({ ok: true, state: { status: 'active' } })
    expect(scene.seats()).toHaveLength(1)
  })

  test('isn’t asked about again while another license is in use, and its problem goes away', async () => {
    const { scene, device, foreignKey } = await start(name)
    expect(await device.core.activate(foreignKey)).toMatchObject(refused)
    expect(await device.recordOnDisk()).toMatchObject({ wanted: null, owed: [] })
    const before = scene.asked()
    await device.elapse(3 * dayMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    expect(scene.asked() - before).toBeLessThanOrEqual(4)
  })

  test('that an administrator provides is a problem that names its source', async () => {
    const { scene, foreignKey, commerce } = await start(name)
    const findProvided = async () => ({ text: foreignKey, source: 'NOTES_LICENSE_KEY' })
    const fleet = scene.device({ service: commerce, findProvided, device: { machineId: 'machine-two' } })
    await fleet.launch()
    await fleet.elapse(minuteMs)
    const problem = { code: 'wrong-product', source: 'NOTES_LICENSE_KEY' }
    expect(fleet.state).toMatchObject({ status: 'unlicensed', problem })
    expect(scene.seats()).toHaveLength(1)
  })
})

test('a refusal of the license in use, such as for another product, takes no second seat', async () => {
  const scripted = createScriptedService(false)
  const commerce = reach({ service: scripted.service, fetch })
  const device = createTestDevice(null, { service: commerce })
  await device.launch()
  await device.core.activate('ANY-LICENSE-KEY-1')
  scripted.says.validate.push(refusal('wrong-product'))
  expect(await device.core.activate('ANY-LICENSE-KEY-1')).toMatchObject(refused)
  expect(scripted.activations).toHaveLength(1)
})
