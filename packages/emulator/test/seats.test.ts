import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Emulator, startEmulator } from '../src/index.ts'
import { at, keyIdOf, type RawRequests, rawRequests } from './raw-requests.ts'

let emulator: Emulator
let requests: RawRequests
beforeEach(async () => {
  emulator = await startEmulator()
  requests = rawRequests(emulator)
})
afterEach(() => emulator.close())

it('starts with an active demo license with 3 seats that ends in a year', () => {
  const { id, activation_limit, status, suspended_at, expires_at } = emulator.demoLicense
  expect({ id, activation_limit, status, suspended_at }).toEqual({
    id: '4b11e191-a34e-424c-b391-d18776ed66b8',
    activation_limit: 3,
    status: 'ACTIVE',
    suspended_at: null,
  })
  const days = (Date.parse(expires_at ?? '') - Date.now()) / 86_400_000
  expect(Math.round(days)).toBe(365)
})

it('takes a seat for each activation, even with the same name, and refuses more than the limit', async () => {
  const answers = [
    await requests.activate('Laptop'),
    await requests.activate('Laptop'),
    await requests.activate('Phone'),
    await requests.activate('Tablet'),
  ]
  expect(answers.map((answer) => [answer.status, at(answer, 'license.activation_usage_formatted')])).toEqual([
    [200, '1/3'],
    [200, '2/3'],
    [200, '3/3'],
    [422, undefined],
  ])
  expect((await requests.keys()).body).toMatchObject({
    data: [{ name: 'Laptop' }, { name: 'Laptop' }, { name: 'Phone' }],
  })
})

it('gives exactly 3 keys when 100 devices activate at once', async () => {
  const names = Array.from({ length: 100 }, (_, index) => `Device ${index}`)
  const answers = await Promise.all(names.map((name) => requests.activate(name)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
  expect(answers.filter(({ status }) => status === 422)).toHaveLength(97)
  expect(emulator.control.keys(emulator.demoLicense.id)).toHaveLength(3)
})

it('frees a seat at a deactivation and removes the key', async () => {
  const keyId = keyIdOf(await requests.activate('Laptop'))
  const answer = await requests.deactivate(keyId)
  expect(answer.body).toEqual({ message: 'The license key was deactivated successfully.' })
  expect((await requests.keys()).body).toEqual({ data: [] })
  expect((await requests.key(keyId)).status).toBe(404)
  expect((await requests.validate(keyId)).status).toBe(404)
  expect((await requests.deactivate(keyId)).status).toBe(404)
})

it('lists keys oldest first', async () => {
  for (const name of ['c', 'a', 'b']) await requests.activate(name)
  const answer = await requests.keys()
  const created = [0, 1, 2].map((index) => at(answer, `data.${index}.created_at`))
  expect(created).toEqual([...new Set(created)].sort())
  expect(answer.body).toMatchObject({ data: [{ name: 'c' }, { name: 'a' }, { name: 'b' }] })
})

it("doesn't accept one license's key for another license", async () => {
  const other = emulator.control.createLicense({ keys: ['Elsewhere'] })
  const [key] = emulator.control.keys(other.id)
  expect((await requests.validate(key?.id ?? '')).status).toBe(404)
  expect((await requests.deactivate(key?.id ?? '')).status).toBe(404)
  expect(emulator.control.keys(other.id)).toHaveLength(1)
})

it('accepts ids in upper and lower case', async () => {
  const answer = await requests.activate('Laptop', emulator.demoLicense.id.toUpperCase())
  expect((await requests.validate(keyIdOf(answer).toUpperCase())).status).toBe(200)
})

it('keeps every activation when the limit is lowered below the number in use', async () => {
  const keyId = keyIdOf(await requests.activate('Laptop'))
  await requests.activate('Phone')
  emulator.control.updateLicense(emulator.demoLicense.id, { activation_limit: 1 })
  expect(at(await requests.validate(keyId), 'license.activation_usage_formatted')).toBe('2/1')
  expect((await requests.activate('Tablet')).status).toBe(422)
})

it('sets the status to ACTIVE at an activation', async () => {
  const { id } = emulator.control.createLicense({ status: 'INACTIVE' })
  const answer = await requests.activate('Laptop', id)
  expect(at(answer, 'license.status')).toBe('ACTIVE')
  expect(at(await requests.validate(keyIdOf(answer), id), 'license.status')).toBe('ACTIVE')
})
