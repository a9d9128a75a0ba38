import { readOfflineRequest, writeOfflineRequest } from '@latchkey/services/offline'
import { describe, expect, test } from 'vitest'
import { createMemoryStore } from '../../../doubles/memory-store.ts'
import { dayMs, type TestDevice } from '../../fixture.ts'
import { loadOfflinePort, startSurroundings, url } from './offline-surroundings.ts'

const { service, computer, activated, onPage, requestOn, answerTo, activateOffline } =
  await startSurroundings()

function codeIn({ state }: Pick<TestDevice, 'state'>) {
  if (state.releaseCode === undefined) throw new Error('There is no release code')
  return state.releaseCode
}

test('a computer that was deactivated without internet has a code that frees its seat', async () => {
  const { device, id } = await activated()
  expect(device.state.releaseCode).toBeUndefined()

  const result = await device.core.deactivate()
  expect(result).toMatchObject({ ok: true, seat: 'freed-later', state: { status: 'unlicensed' } })
  const { text, link } = codeIn(device)
  expect(link).toBe(`${url}#${text}`)
  expect(await onPage(link, 'show')).toMatchObject({ app: 'com.example.notes' })
  expect(service.seats(id)).toHaveLength(1)
  expect(await onPage(text)).toMatchObject({ released: true })
  expect(service.seats(id)).toEqual([])
  expect(await onPage(text)).toMatchObject({ released: false })
})

test('while the deactivation can’t be saved, no code is shown, since the activation is back after a restart', async () => {
  const store = createMemoryStore()
  const { device } = await activated({ store })
  const states: string[] = []
  device.core.subscribe((state) => states.push(JSON.stringify(state)))
  store.failure = 'store-not-writable'
  const { state } = await device.core.deactivate()
  expect(state).toMatchObject({ status: 'unlicensed', problem: { code: 'store-not-writable' } })
  expect(states.join()).not.toContain('releaseCode')
  const again = computer({ store: createMemoryStore(store.texts) })
  expect(await again.launch()).toMatchObject({ status: 'active' })

  store.failure = null
  await device.elapse(dayMs)
  expect(device.state.releaseCode).toBeDefined()
})

test('the code is still there after a restart, and gone once the seat is free', async () => {
  const store = createMemoryStore()
  const { device: before } = await activated({ store })
  await before.quit()
  await before.launch()
  await before.core.deactivate()
  const code = codeIn(before)
  await before.quit()

  const device = computer({ store })
  expect((await device.launch()).releaseCode).toEqual(code)
  // The check at launch finds no network.
  await device.core.validate()
  await onPage(code.text)
  device.isOnline = true
  await device.core.validate()
  expect(device.state).toMatchObject({ status: 'unlicensed', problem: null })
  expect(device.state.releaseCode).toBeUndefined()
  expect(await device.recordOnDisk()).toMatchObject({ owed: [] })
})

test('the code goes away when the computer is activated again, and comes back with the next deactivation', async () => {
  const { device, id } = await activated()
  await device.core.deactivate()
  const { text } = codeIn(device)
  await activateOffline(device, id)
  expect(device.state.releaseCode).toBeUndefined()
  expect(service.seats(id)).toHaveLength(1)
  // The old code was for another activation, so it frees nothing that is in use.
  expect(await onPage(text)).toMatchObject({ released: false })
  expect(service.seats(id)).toHaveLength(1)
  await device.elapse(dayMs)
  await device.core.deactivate()
  expect(codeIn(device).text).not.toBe(text)
  expect(await onPage(codeIn(device).text)).toMatchObject({ released: true })
})

test('a computer that edits its request can’t keep running with a seat that its code frees', async () => {
  const { device, id } = await activated()
  await device.core.deactivate()
  const read = readOfflineRequest(await requestOn(device, id))
  if (!read.ok) throw new Error(read.fault)
  expect(read.request.leaves).toHaveLength(1)
  const { leaves: _, ...edited } = read.request
  const answer = await answerTo(writeOfflineRequest(edited))
  expect(await device.core.activateOffline(answer)).toMatchObject({
    ok: false,
    problem: { code: 'offline-answer-other-request' },
  })
  expect(device.state).toMatchObject({ status: 'unlicensed' })
})

test('activated with internet again, the computer keeps its seat when the old code is used', async () => {
  const { device, id } = await activated()
  await device.core.deactivate()
  const { text } = codeIn(device)
  device.isOnline = true
  expect(await device.core.activate(id)).toMatchObject({ ok: true })
  expect(await onPage(text)).toMatchObject({ released: false })
  expect(await device.core.validate()).toMatchObject({ status: 'active' })
  expect(service.seats(id)).toHaveLength(1)
})

test('a key that was pasted without internet activates once there is some, though its code was never used', async () => {
  const { device, id } = await activated()
  await device.core.deactivate()
  const { text } = codeIn(device)
  expect(await device.core.activate(id)).toMatchObject({ ok: false })
  device.isOnline = true
  await device.core.validate()
  expect(device.state).toMatchObject({ status: 'active', problem: null })
  expect(await onPage(text)).toMatchObject({ released: false })
  expect(service.seats(id)).toHaveLength(1)
})

test('a computer that can reach the service frees its seat itself, and needs no code', async () => {
  const { device, id } = await activated()
  device.isOnline = true
  expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed' })
  expect(device.state.releaseCode).toBeUndefined()
  expect(service.seats(id)).toEqual([])
})

test('neither the secret nor the license key is in the code, the state, a log or a report', async () => {
  const { device, id } = await activated()
  const secret = (await device.recordOnDisk()).activation?.offline?.secret ?? ''
  expect(secret.length).toBeGreaterThan(40)
  await device.core.deactivate()
  const { text } = codeIn(device)
  const decoded = text.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1'))
  const seen = [...decoded, JSON.stringify(device.state), ...device.logger.lines].join('\n')
  for (const hidden of [id, secret, Buffer.from(secret, 'base64url').toString('latin1')]) {
    expect(seen).not.toContain(hidden)
  }
})

test.each([
  [
    'a file that an update has replaced',
    Object.assign(new Error('/opt/notes'), { code: 'ERR_MODULE_NOT_FOUND' }),
  ],
  ['TypeError', new TypeError('a secret')],
  ['string', 'a secret'],
])('the log says what failed: %s', async (name, thrown) => {
  const { core, logger } = computer({ loadPort: () => Promise.reject(thrown) })
  const unexpected = { ok: false, problem: { code: 'unexpected' } }
  expect(await core.createOfflineRequest(service.newLicense().id)).toMatchObject(unexpected)
  expect(await core.activateOffline('text')).toMatchObject(unexpected)
  const told = name.startsWith('a file') ? 'ERR_MODULE_NOT_FOUND' : name
  expect(new Set(logger.lines)).toEqual(new Set([`error Licensing failed unexpectedly: ${told}`]))
})

test('without a code, the gateway holds the seat until the answer ends', async () => {
  const store = createMemoryStore()
  const { device: before, id } = await activated({ store })
  await before.quit()
  // The app was updated to one without activation for such computers.
  const device = computer({ store, loadPort: null })
  await device.launch()
  await device.core.validate()
  expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed-later' })
  expect(device.state.releaseCode).toBeUndefined()
  device.isOnline = true
  await device.core.validate()
  expect(service.seats(id)).toHaveLength(1)
  expect(device.state.status).toBe('unlicensed')
})

describe('a license that another one replaces without internet', () => {
  const smallLicense = () => service.newLicense({ activation_limit: 1 })

  test('has a code that frees its seat, while the other license is in use and after a restart', async () => {
    const store = createMemoryStore()
    const { device: before, id: first } = await activated({ store })
    const second = service.newLicense().id
    await activateOffline(before, second)
    const codes = before.state.releaseCodes ?? []
    expect(before.state.releaseCode).toBeUndefined()
    expect(codes).toMatchObject([{ maskedKey: `${first.slice(0, 4)}••••${first.slice(-4)}` }])
    await before.quit()

    const device = computer({ store })
    const { status, releaseCodes } = await device.launch()
    expect({ status, releaseCodes }).toEqual({ status: 'active', releaseCodes: codes })
    expect(await onPage(codes[0]?.text ?? '')).toMatchObject({ released: true })
    expect(service.seats(first)).toEqual([])
    expect(service.seats(second)).toHaveLength(1)
    expect(await device.core.validate()).toMatchObject({ status: 'active' })
  })

  test('has no code while it is in use again, and then one for the seat that it has', async () => {
    const device = computer()
    const [first, second] = [smallLicense().id, smallLicense().id]
    for (const id of [first, second, first]) await activateOffline(device, id)
    expect(device.state.releaseCodes?.map(({ maskedKey }) => maskedKey.slice(0, 4))).toEqual([
      second.slice(0, 4),
    ])
    expect(service.seats(first)).toHaveLength(1)
    await device.core.deactivate()
    const codes = device.state.releaseCodes ?? []
    expect(codes).toHaveLength(2)
    for (const { text } of codes) expect(await onPage(text)).toMatchObject({ released: true })
    expect([...service.seats(first), ...service.seats(second)]).toEqual([])
  })

  test('is replaced even if its code can’t be created', async () => {
    const device = computer({
      loadPort: async () => ({
        ...(await loadOfflinePort()),
        writeRelease: () => {
          throw new TypeError('a secret')
        },
      }),
    })
    const { id } = service.newLicense()
    await activateOffline(device, id)
    await activateOffline(device, service.newLicense().id)
    expect(device.state).toMatchObject({ status: 'active' })
    expect(device.state.releaseCodes).toBeUndefined()
    expect(device.logger.lines).toContain('error The release code could not be created (TypeError)')
    device.isOnline = true
    await device.core.validate()
    expect(device.state).toMatchObject({ status: 'active' })
    // Without its code, the gateway holds the seat until the answer ends.
    expect(service.seats(id)).toHaveLength(1)
  })

  test('needs no code when it is only renewed', async () => {
    const { device, id } = await activated()
    await activateOffline(device, id)
    expect(device.state.releaseCodes).toBeUndefined()
    expect(await device.recordOnDisk()).toMatchObject({ owed: [] })
  })
})
