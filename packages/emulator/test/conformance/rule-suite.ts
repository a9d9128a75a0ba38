import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { at, keyIdOf, type RawAnswer } from '../raw-requests.ts'
import { openServiceUnderTest, type SentRequest, type ServiceUnderTest } from './service-under-test.ts'

/** One statement of the interface document, and its test. */
export interface Row {
  statement: string
  /** Whether the test needs control over the service. */
  needsEmulator?: true
  holds(): Promise<void>
}

/** The service that this file tests. */
export let service: ServiceUnderTest
let keyIds: string[]

/** Activates a device. Its seat is freed after the row. */
export async function activate(name = 'Conformance'): Promise<RawAnswer> {
  const answer = await service.raw.activate(name)
  freeLater(keyIdOf(answer))
  return answer
}

/** Frees a key's seat after the row. */
export function freeLater(keyId: string): void {
  keyIds.push(keyId)
}

const lastSent = (): SentRequest | undefined => service.sent.at(-1)
/** The ids of a list's items. */
export const ids = (answer: RawAnswer): unknown[] => {
  const data = at(answer, 'data')
  return Array.isArray(data) ? data.map((item: { id?: unknown }) => item.id) : []
}
/** The value at a dotted path, as text. */
export const textOf = (answer: RawAnswer, path: string): string => String(at(answer, path))

/** Tests every row, grouped by section of the document. */
export function describeRules(rows: Record<string, Row[]>): void {
  beforeAll(async () => {
    service = await openServiceUnderTest()
  })
  afterAll(() => service.close())
  beforeEach(() => {
    keyIds = []
    service.sent.length = 0
  })
  afterEach(async () => {
    service.emulator?.control.reset()
    for (const keyId of keyIds) await service.raw.deactivate(keyId)
  })
  describe.each(Object.entries(rows))('%s', (_section, sectionRows) => {
    it.for(sectionRows)('$statement', async ({ statement, needsEmulator, holds }, { skip }) => {
      if (needsEmulator && !service.emulator) {
        process.stdout.write(`Not tried, for it needs the emulator's control: ${statement}\n`)
        skip("it needs the emulator's control")
      }
      await holds()
    })
  })
}

/** The control of the emulator for rows that need it. */
export function emulatorControl(): NonNullable<ServiceUnderTest['emulator']>['control'] {
  if (!service.emulator) throw new Error('This row needs the emulator.')
  return service.emulator.control
}

/** Expects that this was the client's last request. */
export function expectSent(method: string, path: string, body: string): void {
  const sent = lastSent()
  expect(`${sent?.method} ${sent?.url.href}`).toBe(`${method} ${service.baseUrl}${path}`)
  expect(sent?.body).toBe(body)
}

/** Calls each operation of the client once. */
export async function everyOperation(): Promise<void> {
  const { licenses, discounts, customers } = service.commerce
  const { licenseId } = service
  const { key } = await licenses.activate(licenseId, { name: 'Conformance' })
  await licenses.keys(licenseId)
  await licenses.key(licenseId, key.id)
  await licenses.validate(licenseId, { key: key.id })
  await licenses.deactivate(licenseId, { key: key.id })
  await discounts.list()
  await customers.list()
  expect(service.sent).toHaveLength(7)
}

type ShownDiscount = Awaited<ReturnType<ServiceUnderTest['commerce']['discounts']['list']>>['data'][number]

/** Checks every discount. */
export async function eachDiscount(check: (discount: ShownDiscount) => void): Promise<void> {
  for await (const discount of service.commerce.discounts.all()) check(discount)
}
