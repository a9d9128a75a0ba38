import { readOfflineRequest, writeOfflineRequest } from '@latchkey/services/offline'
import { afterAll, describe, expect, test } from 'vitest'
import { createMemoryStore } from '../../../doubles/memory-store.ts'
import { dayMs, type TestDevice } from '../../fixture.ts'
import { type Computer, loadOfflinePort, startSurroundings, url } from './offline-surroundings.ts'

const { service, computer, onPage, activateOffline } = await startSurroundings()
afterAll(() => service.emulator.close())

function codeIn({ state }: Pick<TestDevice, 'state'>) {
  if (state.releaseCode === undefined) throw new Error('There is no release code')
  return state.releaseCode
}

test('a computer that was deactivated without internet has a code that frees its seat', async () => {
  const device = computer()
  const { id } = service.newLicense()
  await activateOffline(device, id)
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
  const device = computer({ store })
  const { id } = service.newLicense()
  await activateOffline(device, id)
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
  const before = computer({ store })
  const { id } = service.newLicense()
  await activateOffline(before, id)
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
  const device = computer()
  const { id } = service.newLicense()
  await activateOffline(device, id)
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
  const device = computer()
  const { id } = service.newLicense()
  await activateOffline(device, id)
  await device.core.deactivate()
  const request = await device.core.createOfflineRequest(id)
  const read = readOfflineRequest(request.ok ? request.text : '')
  if (!read.ok) throw new Error(read.fault)
  expect(read.request.leaves).toHaveLength(1)
  const { leaves: _, ...edited } = read.request
  const { answer } = await onPage(writeOfflineRequest(edited))
  expect(await device.core.activateOffline(answer)).toMatchObject({
    ok: false,
    problem: { code: 'offline-answer-other-request' },
  })
  expect(device.state).toMatchObject({ status: 'unlicensed' })
})

test('activated with internet again, the computer keeps its seat when the old code is used', async () => {
  const device = computer()
  const { id } = service.newLicense()
  await activateOffline(device, id)
  await device.core.deactivate()
  const { text } = codeIn(device)
  device.isOnline = true
  expect(await device.core.activate(id)).toMatchObject({ ok: true })
  expect(await onPage(text)).toMatchObject({ released: false })
  expect(await device.core.validate()).toMatchObject({ status: 'active' })
  expect(service.seats(id)).toHaveLength(1)
})

test('a key that was pasted without internet activates once there is some, though its code was never used', async () => {
  const device = computer()
  const { id } = service.newLicense()
  await activateOffline(device, id)
  await device.core.deactivate()
  const { text } = codeIn(device)
  expect(await device.core.activate(id)).toMatchObject({ ok: false })
  device.isOnline = true
  await device.core.validate()
  expect(device.state).toMatchObject({ status: 'active', problem: null })
  expect(await onPage(text)).toMatchObject({ released: false })
  expect(service.seats(id)).toHaveLength(1)
})

test('the code is not shown while another license is in use', async () => {
  const device = computer()
  await activateOffline(device, service.newLicense().id)
  await device.core.deactivate()
  expect(device.state.releaseCode).toBeDefined()
  await activateOffline(device, service.newLicense().id)
  expect(device.state).toMatchObject({ status: 'active' })
  expect(device.state.releaseCode).toBeUndefined()
})

test('a computer that can reach the service frees its seat itself, and needs no code', async () => {
  const device = computer()
  const { id } = service.newLicense()
  await activateOffline(device, id)
  device.isOnline = true
  expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed' })
  expect(device.state.releaseCode).toBeUndefined()
  expect(service.seats(id)).toEqual([])
})

test('neither the secret nor the license key is in the code, the state, a log or a report', async () => {
  const device = computer()
  const { id } = service.newLicense()
  await activateOffline(device, id)
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

test('the log says what failed', async () => {
  const missing = Object.assign(new Error('Cannot find module /opt/notes/app.asar'), {
    code: 'ERR_MODULE_NOT_FOUND',
  })
  const failing = (thrown: unknown) => computer({ loadPort: () => Promise.reject(thrown) })
  const errorsOf = ({ logger }: Computer) => logger.lines.filter((line) => line.startsWith('error'))

  const replaced = failing(missing)
  await replaced.core.createOfflineRequest(service.newLicense().id)
  await replaced.core.activateOffline('text')
  expect(errorsOf(replaced)).toEqual([
    'error Licensing failed unexpectedly: ERR_MODULE_NOT_FOUND',
    'error Licensing failed unexpectedly: ERR_MODULE_NOT_FOUND',
  ])
  const odd = failing('a string')
  await odd.core.activateOffline('text')
  const wrong = failing(new TypeError('a secret'))
  await wrong.core.activateOffline('text')
  expect([...errorsOf(odd), ...errorsOf(wrong)]).toEqual([
    'error Licensing failed unexpectedly: string',
    'error Licensing failed unexpectedly: TypeError',
  ])
})

test('the log says why there is no release code', async () => {
  let isReplaced = false
  const device = computer({
    loadPort: async () => {
      if (isReplaced) throw new TypeError('gone')
      return loadOfflinePort()
    },
  })
  await activateOffline(device, service.newLicense().id)
  isReplaced = true
  expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed-later' })
  expect(device.logger.lines).toContain('error The release code could not be created (TypeError)')
})

test('an app whose files an update has replaced gets a problem, not an exception', async () => {
  const device = computer({
    loadPort: async () => {
      throw new Error('Cannot find module')
    },
  })
  const unexpected = { ok: false, problem: { code: 'unexpected' } }
  expect(await device.core.createOfflineRequest(service.newLicense().id)).toMatchObject(unexpected)
  expect(await device.core.activateOffline('text')).toMatchObject({
    ...unexpected,
    state: { status: 'unlicensed' },
  })
})

describe('without a code, the gateway holds the seat until the answer ends', () => {
  async function expectHeld(device: Computer, licenseKey: string): Promise<void> {
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed-later' })
    expect(device.state.releaseCode).toBeUndefined()
    device.isOnline = true
    await device.core.validate()
    expect(service.seats(licenseKey)).toHaveLength(1)
    expect(device.state.status).toBe('unlicensed')
  }

  test('if the app was updated to one without activation for such computers', async () => {
    const store = createMemoryStore()
    const before = computer({ store })
    const { id } = service.newLicense()
    await activateOffline(before, id)
    await before.quit()
    const device = computer({ store, loadPort: null })
    await device.launch()
    await device.core.validate()
    await expectHeld(device, id)
  })

  test('if the app’s own files can’t be read', async () => {
    let isBroken = false
    const loadPort = async () => {
      if (isBroken) throw new Error('EIO')
      return loadOfflinePort()
    }
    const device = computer({ loadPort })
    const { id } = service.newLicense()
    await activateOffline(device, id)
    isBroken = true
    await expectHeld(device, id)
  })
})
