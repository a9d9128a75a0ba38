import { afterAll, describe, expect, test } from 'vitest'
import { createMemoryStore } from '../../../doubles/memory-store.ts'
import { dayMs } from '../../fixture.ts'
import { loadOfflinePort, startSurroundings } from './offline-surroundings.ts'

const { service, computer, onPage, activateOffline } = await startSurroundings()
afterAll(() => service.emulator.close())

describe('a license that another one replaces without internet', () => {
  const smallLicense = () => service.newLicense({ activation_limit: 1 })

  test('has a code that frees its seat, while the other license is in use and after a restart', async () => {
    const store = createMemoryStore()
    const before = computer({ store })
    const [first, second] = [service.newLicense().id, service.newLicense().id]
    await activateOffline(before, first)
    await activateOffline(before, second)
    const codes = before.state.releaseCodes ?? []
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

  test('keeps its code when the other one is deactivated, too', async () => {
    const device = computer()
    const [first, second] = [service.newLicense().id, service.newLicense().id]
    await activateOffline(device, first)
    await activateOffline(device, second)
    await device.core.deactivate()
    const [latest, earlier, ...more] = device.state.releaseCodes ?? []
    expect(more).toEqual([])
    expect(latest).toMatchObject(device.state.releaseCode ?? {})
    for (const code of [latest, earlier]) {
      expect(await onPage(code?.link ?? '')).toMatchObject({ released: true })
    }
    expect([...service.seats(first), ...service.seats(second)]).toEqual([])
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

  test('is activated with internet again, with its only seat', async () => {
    const device = computer()
    const { id } = smallLicense()
    await activateOffline(device, id)
    await activateOffline(device, service.newLicense().id)
    const [code] = device.state.releaseCodes ?? []
    device.isOnline = true
    expect(await device.core.activate(id)).toMatchObject({ ok: true })
    expect(await onPage(code?.text ?? '')).toMatchObject({ released: false })
    expect(await device.core.validate()).toMatchObject({ status: 'active' })
    expect(device.state.releaseCodes).toBeUndefined()
    expect(service.seats(id)).toHaveLength(1)
  })

  test('has no code while the new record can’t be saved, since it is back after a restart', async () => {
    const store = createMemoryStore()
    const device = computer({ store })
    const [first, second] = [service.newLicense().id, service.newLicense().id]
    await activateOffline(device, first)
    const request = await device.core.createOfflineRequest(second)
    const { answer } = await onPage(request.ok ? request.text : '')
    const states: string[] = []
    device.core.subscribe((state) => states.push(JSON.stringify(state)))
    store.failure = 'store-not-writable'
    expect(await device.core.activateOffline(answer)).toMatchObject({ ok: true, state: { status: 'active' } })
    expect(states.join()).not.toContain('releaseCodes')

    store.failure = null
    await device.elapse(dayMs)
    expect(device.state.releaseCodes).toHaveLength(1)
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
    const device = computer()
    const { id } = service.newLicense()
    await activateOffline(device, id)
    await activateOffline(device, id)
    expect(device.state.releaseCodes).toBeUndefined()
    expect(await device.recordOnDisk()).toMatchObject({ owed: [] })
  })
})
