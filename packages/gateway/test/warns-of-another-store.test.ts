import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { keyName, startGateway } from './gateway-fixture.ts'

/** A gateway whose devices ask for keys that their licenses no longer have. */
async function startWithLicenses(count: number) {
  const { emulator, call, lines } = await startGateway()
  const licenseIds = Array.from({ length: count }, () => emulator.control.createLicense({ keys: [] }).id)
  const logged = async (request: Promise<Response>) => {
    await request
    const { level, remark } = lines.at(-1) ?? {}
    return { level, remark }
  }
  const show = (id = '') => logged(call('GET', `/licenses/${id}/keys/${randomUUID()}`))
  const deactivate = (id = '') =>
    logged(call('DELETE', `/licenses/${id}/deactivate`, { json: { key: randomUUID() } }))
  const validate = async () => {
    const { id } = emulator.control.createLicense({ keys: [keyName] })
    const json = { key: emulator.control.keys(id)[0]?.id }
    expect((await call('POST', `/licenses/${id}/validate`, { json })).status).toBe(200)
  }
  return { emulator, licenseIds, show, deactivate, validate }
}

const remark = { level: 'info', remark: 'no-keys-listed' }
const warning = { level: 'warn', remark: 'no-keys-at-all' }

test('three licenses in a row without a key are a warning, because the token may be for another store', async () => {
  const { licenseIds, show, deactivate } = await startWithLicenses(4)
  expect(await show(licenseIds[0])).toEqual(remark)
  expect(await show(licenseIds[0])).toEqual(remark)
  expect(await deactivate(licenseIds[1])).toEqual(remark)
  expect(await show(licenseIds[2])).toEqual(warning)
  expect(await deactivate(licenseIds[0])).toEqual(warning)
  expect(await show(licenseIds[3])).toEqual(warning)
})

test.each(['validates a key', 'lists another key'])('it is none once the service %s', async (what) => {
  const { emulator, licenseIds, show, validate } = await startWithLicenses(4)
  for (const licenseId of licenseIds.slice(0, 3)) await show(licenseId)
  if (what === 'validates a key') await validate()
  else {
    const { id } = emulator.control.createLicense({ keys: [keyName] })
    expect(await show(id)).toEqual({ level: 'info', remark: null })
  }
  expect(await show(licenseIds[3])).toEqual(remark)
})
