import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { generateSigningKey } from '../src/index.ts'
import { keyName, nonce, startGateway } from './gateway-fixture.ts'

/** A gateway whose devices ask for keys that their licenses no longer have. */
async function startWithLicenses(count: number) {
  const { emulator, call, lines } = await startGateway({ signing: { keys: [await generateSigningKey()] } })
  const licenseIds = Array.from({ length: count }, () => emulator.control.createLicense({ keys: [] }).id)
  const logged = async (request: Promise<Response>) => {
    const { status, headers } = await request
    const { level, remark } = lines.at(-1) ?? {}
    return { status, isSigned: headers.has('latchkey-lease'), level, remark }
  }
  const show = (id = '') =>
    logged(call('GET', `/licenses/${id}/keys/${randomUUID()}`, { headers: { 'latchkey-nonce': nonce } }))
  const deactivate = (id = '') =>
    logged(call('DELETE', `/licenses/${id}/deactivate`, { json: { key: randomUUID() } }))
  const validate = async () => {
    const { id } = emulator.control.createLicense({ keys: [keyName] })
    const key = emulator.control.keys(id)[0]?.id ?? ''
    expect((await call('POST', `/licenses/${id}/validate`, { json: { key } })).status).toBe(200)
    return { id, key }
  }
  return { emulator, licenseIds, show, deactivate, validate }
}

const unproven = { status: 502, isSigned: false }

test('a gateway that is pointed at another store calls no customer’s key gone, and the log says so', async () => {
  const { licenseIds, show, deactivate } = await startWithLicenses(6)
  const told = []
  for (const licenseId of licenseIds) told.push(await show(licenseId))
  expect(told).toMatchObject([
    ...Array(2).fill({ ...unproven, level: 'warn', remark: 'no-keys-listed' }),
    ...Array(4).fill({ ...unproven, level: 'error', remark: 'no-keys-at-all' }),
  ])
  // That takes no license from anyone.
  expect(await deactivate(licenseIds[0])).toMatchObject({ status: 404, remark: 'no-keys-at-all' })
})

test('an empty list proves that a key is gone if this license was seen with one, and the service knows others', async () => {
  const { emulator, licenseIds, show, validate } = await startWithLicenses(3)
  const left = await validate()
  emulator.control.removeKey(left.id, left.key)
  const gone = { status: 404, isSigned: true, level: 'info', remark: 'no-keys-listed' }
  expect(await show(left.id)).toEqual(gone)
  // The service knowing another license proves nothing.
  for (const licenseId of licenseIds.slice(0, 2)) expect(await show(licenseId)).toMatchObject(unproven)
  // The third one in a row is no coincidence.
  expect(await show(left.id)).toMatchObject({ ...unproven, level: 'error' })
  await validate()
  expect(await show(left.id)).toEqual(gone)
})
