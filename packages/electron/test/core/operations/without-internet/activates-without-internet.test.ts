import { generateSigningKey } from '@latchkey/gateway'
import { findOfflineText, writeOfflineText } from '@latchkey/services/offline'
import { describe, expect, test } from 'vitest'
import type { LicenseSummary, LicensingState } from '../../../../src/shared/licensing-state.ts'
import { createMemoryStore } from '../../../doubles/memory-store.ts'
import { createTestDevice, dayMs, hourMs } from '../../fixture.ts'
import { signingKey, startSurroundings, url, verifierOf } from './offline-surroundings.ts'

const { service, computer, activated, requestOn, answerTo, activateOffline } = await startSurroundings()

function licenseIn(state: LicensingState): LicenseSummary {
  if (state.license === null) throw new Error('There is no license')
  return state.license
}

test('activates a computer without internet, and keeps it activated until the answer ends', async () => {
  const { device, id } = await activated({}, 60)
  expect(device.state).toMatchObject({ status: 'active', entitled: true, problem: null })
  expect(service.seats(id)).toHaveLength(1)
  const endMs = Date.parse(licenseIn(device.state).validUntil ?? '')
  expect(Math.abs(endMs - Date.now() - 60 * dayMs)).toBeLessThan(60_000)

  // Grace would have ended long before, and no check reaches the service.
  await device.quit()
  device.sleep(50 * dayMs)
  expect(await device.launch()).toMatchObject({ status: 'active', entitled: true, problem: null })
  await device.elapse(11 * dayMs)
  expect(device.state).toMatchObject({ status: 'unverified', entitled: false })
  expect(licenseIn(device.state).validUntil).toBeUndefined()
})

describe('without waiting for the one before,', () => {
  test('an answer activates the computer while its request is still being created', async () => {
    const device = computer()
    const { id } = service.newLicense()
    const answer = await answerTo(await requestOn(device, id))
    const [request, activation] = await Promise.all([
      requestOn(device, id),
      device.core.activateOffline(answer),
    ])
    expect(activation).toMatchObject({ ok: true, state: { status: 'active' } })
    expect(findOfflineText('request', request)).toMatchObject({ ok: true })
    expect(device.state.status).toBe('active')
  })

  test('the same answer activates once, also after a double click', async () => {
    const device = computer()
    const answer = await answerTo(await requestOn(device, service.newLicense().id))
    const twice = await Promise.all([1, 2].map(() => device.core.activateOffline(answer)))
    expect(twice).toMatchObject([{ ok: true }, { ok: true }])
  })
})

test('is renewed by another request before the answer ends, with the same seat', async () => {
  const { device, id } = await activated({}, 30)
  await device.elapse(25 * dayMs)
  await activateOffline(device, id, 30)
  await device.elapse(25 * dayMs)
  expect(device.state).toMatchObject({ status: 'active', entitled: true })
  expect(service.seats(id)).toHaveLength(1)
})

test('ends with the license and reports it as expired', async () => {
  const device = computer()
  const { id } = service.newLicense({ expires_at: new Date(Date.now() + 5 * dayMs).toISOString() })
  await activateOffline(device, id)
  expect(device.state.status).toBe('active')
  await device.elapse(6 * dayMs)
  expect(device.state).toMatchObject({ status: 'expired', entitled: false })
})

test('reports that the license ends soon while the answer is valid', async () => {
  const device = computer()
  const { id } = service.newLicense({ expires_at: new Date(Date.now() + 20 * dayMs).toISOString() })
  await activateOffline(device, id, 15)
  expect(device.state).toMatchObject({ status: 'active', license: { endsSoon: false } })
  await device.elapse(8 * dayMs)
  expect(device.state).toMatchObject({ status: 'active', license: { endsSoon: true } })
})

test('keeps the same seat when the computer goes online', async () => {
  const { device, id } = await activated({}, 20)
  device.isOnline = true
  expect(await device.core.validate()).toMatchObject({ status: 'active', problem: null })
  expect(await device.core.activate(id)).toMatchObject({ ok: true })
  expect(service.seats(id)).toHaveLength(1)
  // The lease of the check doesn't last as long as the answer, which still holds.
  expect(licenseIn(device.state).validUntil).toBeDefined()
  await device.elapse(10 * dayMs)
  await device.core.validate()
  expect(licenseIn(device.state).validUntil).toBeUndefined()
  device.isOnline = false
  await device.elapse(12 * dayMs)
  await device.core.validate()
  expect(device.state).toMatchObject({ status: 'grace', entitled: true })
})

test('has the plan and features that the gateway signs, also after a restart', async () => {
  const { device } = await activated()
  const terms = { plan: 'Pro', features: ['export'] }
  expect(device.state.license).toMatchObject(terms)
  await device.quit()
  expect((await device.launch()).license).toMatchObject(terms)
})

test('ends at once when the service says online that the license is suspended', async () => {
  const { device, id } = await activated()
  service.control.suspend(id)
  device.isOnline = true
  expect(await device.core.validate()).toMatchObject({ status: 'suspended', entitled: false })
  await device.quit()
  device.isOnline = false
  expect(await device.launch()).toMatchObject({ status: 'suspended', entitled: false })
})

test('ends earlier when the service said online that the license ends earlier', async () => {
  const { device, id } = await activated()
  device.isOnline = true
  service.control.updateLicense(id, {
    expires_at: new Date(Date.now() + 2 * dayMs).toISOString(),
  })
  await device.core.validate()
  device.isOnline = false
  await device.elapse(6 * dayMs)
  expect(device.state.entitled).toBe(false)
})

test('finishes an activation that waits for the network, and cancels one of another license', async () => {
  const device = computer()
  const [first, second] = [service.newLicense().id, service.newLicense().id]
  await device.core.activate(first)
  expect(await device.core.activateOffline(await answerTo(await requestOn(device, second)))).toMatchObject({
    ok: true,
    state: { problem: null },
  })
  expect(await device.recordOnDisk()).toMatchObject({ wanted: null, owed: [] })
  device.isOnline = true
  await device.core.validate()
  expect([service.seats(first).length, service.seats(second).length]).toEqual([0, 1])
})

describe('an answer', () => {
  test('works after the app was closed and started again', async () => {
    const device = computer()
    const { id } = service.newLicense()
    const request = await requestOn(device, id)
    await device.quit()
    await device.launch()
    expect(await requestOn(device, id)).toBe(request)
    expect(await device.core.activateOffline(await answerTo(request))).toMatchObject({ ok: true })
  })

  test('works once', async () => {
    const device = computer()
    const { id } = service.newLicense()
    const answer = await answerTo(await requestOn(device, id))
    await device.core.activateOffline(answer)
    expect(await device.core.activateOffline(answer)).toMatchObject({
      ok: false,
      problem: { code: 'offline-answer-used' },
      state: { status: 'active' },
    })
    await device.core.deactivate()
    expect(await device.core.activateOffline(answer)).toMatchObject({
      problem: { code: 'offline-answer-other-request' },
      state: { status: 'unlicensed' },
    })
  })

  test('does not work again after the record was lost, which requires a new request', async () => {
    const device = computer()
    const { id } = service.newLicense()
    const answer = await answerTo(await requestOn(device, id))
    await device.core.activateOffline(answer)
    const reinstalled = computer()
    expect(await reinstalled.core.activateOffline(answer)).toMatchObject({
      problem: { code: 'offline-answer-other-request' },
    })
    const again = await answerTo(await requestOn(reinstalled, id))
    expect(await reinstalled.core.activateOffline(again)).toMatchObject({ ok: true })
    expect(service.seats(id)).toHaveLength(1)
  })

  test('does not count once the app trusts other keys or none', async () => {
    const store = createMemoryStore()
    await activated({ store })
    const updated = computer({ store, verifier: await verifierOf([await generateSigningKey()]) })
    expect(await updated.launch()).toMatchObject({ status: 'unverified', entitled: false })
    const unsigned = createTestDevice(service, {
      store,
      device: { source: 'machine-id', machineId: 'machine-one' },
    })
    unsigned.clock.jump(100 * dayMs)
    expect((await unsigned.decide()).entitled).toBe(false)
  })

  test('counts again once a later release of the app trusts its key again, and has its release code', async () => {
    const store = createMemoryStore()
    const { device: first } = await activated({ store })
    await first.quit()
    const newKey = await generateSigningKey()
    const second = computer({ store, verifier: await verifierOf([newKey]) })
    expect(await second.launch()).toMatchObject({ status: 'unverified', entitled: false })
    await second.quit()
    expect(JSON.stringify((await second.recordOnDisk()).activation?.offline)).toContain('"expiresAtMs":0')
    const third = computer({ store, verifier: await verifierOf([newKey, signingKey]) })
    expect(await third.launch()).toMatchObject({ status: 'active', entitled: true })
    await third.core.deactivate()
    expect(third.state.releaseCodes).toHaveLength(1)
  })

  test('does not last longer when the clock is set back', async () => {
    const { device } = await activated({}, 30)
    await device.elapse(20 * dayMs)
    device.clock.jump(-20 * dayMs)
    await device.elapse(11 * dayMs)
    expect(device.state).toMatchObject({ status: 'unverified', entitled: false })
  })

  test.each([
    ['two years behind', -730 * dayMs],
    ['two years ahead', 730 * dayMs],
    ['in another time zone', 11 * hourMs],
  ])('works on a computer whose clock is %s, for as long as it says', async (_what, jumpMs) => {
    const device = computer()
    device.clock.jump(jumpMs)
    await activateOffline(device, service.newLicense().id, 30)
    expect(device.state).toMatchObject({ status: 'active', entitled: true })
    await device.elapse(28 * dayMs)
    expect(device.state.entitled).toBe(true)
    await device.elapse(3 * dayMs)
    expect(device.state.entitled).toBe(false)
  })
})

describe('an answer that can’t be used is refused, with what to do, and changes nothing', () => {
  /** The payload of an answer, signed by the vendor or changed by someone else. */
  const jwsOf = (answer: string): string => {
    const found = findOfflineText('answer', answer)
    if (!found.ok) throw new Error(found.fault)
    return found.payload
  }
  const edited = (answer: string): string => {
    const [header, payload = '', signature] = jwsOf(answer).split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const longer = Buffer.from(JSON.stringify({ ...claims, exp: claims.exp * 2 })).toString('base64url')
    return writeOfflineText('answer', [header, longer, signature].join('.'))
  }

  test.each([
    ['nothing at all', undefined],
    ['the parsed JSON', { answer: 'latchkey-answer-1' }],
  ])('%s, from an app in plain JavaScript', async (_what, given) => {
    const { core, logger } = computer()
    const result: unknown = await Reflect.apply(core.activateOffline, core, [given])
    expect(result).toMatchObject({ ok: false, problem: { code: 'no-offline-answer' } })
    expect(logger.lines).toContain('warn activateOffline() takes the answer as a text.')
  })

  test.each<[string, string, (answer: string, request: string) => string | Promise<string>]>([
    ['any other text', 'no-offline-answer', () => 'https://example.com/menu'],
    ['the request itself', 'offline-request-as-answer', (_answer, request) => request],
    ['half of it', 'offline-answer-torn', (answer) => answer.slice(0, 300)],
    ['one that was edited', 'offline-answer-edited', (answer) => edited(answer)],
    ['a signature that is none', 'offline-answer-edited', () => writeOfflineText('answer', 'a.b.c')],
    ['one of a later version', 'offline-answer-newer', (answer) => answer.replace('-1.', '-2.')],
    ['a file of 100 MB', 'offline-answer-too-long', () => 'a'.repeat(100_000_000)],
  ])('%s', async (_what, code, change) => {
    const device = computer()
    const { id } = service.newLicense()
    const request = await requestOn(device, id)
    const answer = await answerTo(request)
    const before = await device.recordOnDisk()
    const result = await device.core.activateOffline(await change(answer, request))
    expect(result).toMatchObject({ ok: false, problem: { code }, state: { status: 'unlicensed' } })
    expect(await device.recordOnDisk()).toEqual(before)
    // The good one still works.
    expect(await device.core.activateOffline(answer)).toMatchObject({ ok: true })
  })

  test('one for another computer', async () => {
    const [one, other] = [computer(), computer({ machineId: 'machine-two' })]
    const { id } = service.newLicense()
    await requestOn(other, id)
    const answer = await answerTo(await requestOn(one, id))
    expect(await other.core.activateOffline(answer)).toMatchObject({
      problem: { code: 'offline-answer-other-device' },
    })
  })

  test('one for another app', async () => {
    const [one, other] = [computer(), computer({ appId: 'com.example.photos' })]
    const { id } = service.newLicense()
    await requestOn(other, id)
    expect(await other.core.activateOffline(await answerTo(await requestOn(one, id)))).toMatchObject({
      problem: { code: 'offline-answer-other-app' },
    })
  })

  test('one to an earlier request, for another license', async () => {
    const device = computer()
    const answer = await answerTo(await requestOn(device, service.newLicense().id))
    await requestOn(device, service.newLicense().id)
    expect(await device.core.activateOffline(answer)).toMatchObject({
      problem: { code: 'offline-answer-other-request' },
    })
  })

  test('one that has expired', async () => {
    const device = computer()
    const request = await requestOn(device, service.newLicense().id)
    const answer = await answerTo(request, 1)
    await device.elapse(3 * dayMs)
    expect(await device.core.activateOffline(answer)).toMatchObject({
      problem: { code: 'offline-answer-expired' },
    })
  })

  test('one signed with a key that the app does not know', async () => {
    // A request lists eight keys at most, so the gateway can't tell that its own isn't among the app's.
    const keys = await Promise.all(Array.from({ length: 8 }, generateSigningKey))
    const device = computer({ verifier: await verifierOf(keys) })
    const answer = await answerTo(await requestOn(device, service.newLicense().id))
    expect(await device.core.activateOffline(answer)).toMatchObject({
      problem: { code: 'offline-answer-unknown-key' },
    })
  })

  test('the lease of an online activation, plain or encoded as an answer', async () => {
    const online = computer()
    online.isOnline = true
    await online.core.activate(service.newLicense().id)
    const jws = (await online.recordOnDisk()).activation?.lease?.jws ?? ''
    const device = computer()
    for (const text of [jws, writeOfflineText('answer', jws)]) {
      expect(await device.core.activateOffline(text)).toMatchObject({
        problem: { code: 'online-lease-as-answer' },
      })
    }
  })
})

describe('a request', () => {
  test('has the address of the page for a QR code', async () => {
    const device = computer()
    const request = await device.core.createOfflineRequest(service.newLicense().id)
    expect(request).toMatchObject({ ok: true, link: expect.stringContaining(`${url}#latchkey-request-1.`) })
  })

  test('needs an app that was set up for it, and the log says what is missing', async () => {
    const device = createTestDevice(service)
    const warning =
      'warn An activation without internet was refused: the option offlineActivation is not set.'
    const misconfigured = { ok: false, problem: { code: 'misconfigured' } }
    expect(await device.core.createOfflineRequest(service.newLicense().id)).toMatchObject(misconfigured)
    expect(device.logger.lines).toEqual([warning])
    expect(await device.core.activateOffline('text')).toMatchObject(misconfigured)
    expect(device.logger.lines).toEqual([warning, warning])
  })

  test('is not in logs or reports', async () => {
    const { device, id } = await activated()
    await device.core.activateOffline('something else')
    const report = [...device.core.diagnose(), ...device.logger.lines].join('\n')
    expect(report).toMatch(/Z activate without internet: ok$/mu)
    expect(report).toMatch(/Z activate without internet: no-offline-answer$/mu)
    const { validUntil } = licenseIn(device.state)
    expect(report).toContain(`status: active (entitled: yes, until ${validUntil}), activity: idle`)
    expect(report).not.toContain(id)
  })
})
