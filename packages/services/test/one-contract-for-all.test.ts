import { describe, expect, it } from 'vitest'
import { readVerdict } from '../src/index.ts'
import {
  answerOf,
  device,
  listOf,
  otherDevice,
  refusals,
  serviceNames,
  startActivated,
  startService,
} from './faces.ts'

describe.each(serviceNames)('%s', (name) => {
  it('finds the license key in an email and doesn’t change it', async () => {
    const { service, licenseKey } = await startService(name)
    const mail = `Hello Ada,\n\nyour license key: ${licenseKey}\u200b\n\nHave fun!`
    expect(service.findLicenseKey(mail)).toEqual({ ok: true, licenseKey })
    expect(service.findLicenseKey(licenseKey.replaceAll('-', '\u2011'))).toEqual({ ok: true, licenseKey })
  })

  it('activates, validates and deactivates a device', async () => {
    const { emulator, service, licenseKey, licenseId } = await startService(name)
    const activated = answerOf(await service.activate({ licenseKey, ...device }))
    expect(activated.activation).toMatchObject(device)
    expect(readVerdict(activated.license, Date.now())).toBe('valid')
    const request = { licenseKey, activationId: activated.activation.id, fingerprint: device.fingerprint }
    const validated = answerOf(await service.validate(request))
    expect(validated.activation.id).toBe(activated.activation.id)
    expect(readVerdict(validated.license, Date.now())).toBe('valid')
    expect(await service.deactivate(request)).toMatchObject({ kind: 'answer', value: null })
    expect(emulator.control.keys(licenseId)).toEqual([])
  })

  it('reports the service’s time with an answer', async () => {
    const { service, licenseKey } = await startService(name)
    // The header has no milliseconds.
    const beforeMs = Math.floor(Date.now() / 1000) * 1000
    const { serverDateMs } = await service.activate({ licenseKey, ...device })
    expect(serverDateMs).toBeGreaterThanOrEqual(beforeMs)
    expect(serverDateMs).toBeLessThanOrEqual(Date.now())
  })

  it('reports the end and the seats, or that they are unknown', async () => {
    const { emulator, service, licenseKey, licenseId } = await startService(name)
    const { license } = answerOf(await service.activate({ licenseKey, ...device }))
    const { expires_at } = emulator.control.license(licenseId)
    const tells = service.capabilities.tellsTheEnd
    expect(license.endsAtMs).toBe(tells ? Date.parse(expires_at ?? '') : null)
    expect([3, null]).toContain(license.seatLimit)
    expect([1, null]).toContain(license.seatsInUse)
  })

  it('distinguishes a license without an end from an unknown end', async () => {
    const { emulator, service, licenseKey, licenseId } = await startService(name)
    emulator.control.updateLicense(licenseId, { expires_at: null })
    const { license } = answerOf(await service.activate({ licenseKey, ...device }))
    expect(license.endsAtMs).toBe(service.capabilities.tellsTheEnd ? 'never' : null)
  })

  it.each(['unknown', 'expired', 'suspended', 'full'] as const)(
    'refuses to activate (%s) with the documented reason and takes no seat',
    async (situation) => {
      const { emulator, service, licenseKey, licenseId } = await startService(name)
      const { control } = emulator
      if (situation === 'expired') control.expire(licenseId)
      if (situation === 'suspended') control.suspend(licenseId)
      if (situation === 'full') {
        for (const other of ['A', 'B', 'C']) control.addKey(licenseId, other)
      }
      const seats = control.keys(licenseId).length
      const unknownKey = licenseKey.replace(/\d/gu, '7')
      const key = situation === 'unknown' ? unknownKey : licenseKey
      const outcome = await service.activate({ licenseKey: key, ...device })
      const reason = refusals[name][situation]
      expect(outcome).toMatchObject(reason === null ? { kind: 'unavailable' } : { kind: 'refusal', reason })
      const leftover = outcome.kind === 'refusal' ? outcome.leftoverActivationId : null
      expect(control.keys(licenseId)).toHaveLength(seats + (leftover === null ? 0 : 1))
    },
  )

  it.each(['expired', 'suspended'] as const)('a license that is %s entitles no device', async (situation) => {
    const { emulator, service, licenseId, request } = await startActivated(name)
    emulator.control[situation === 'expired' ? 'expire' : 'suspend'](licenseId)
    const outcome = await service.validate(request)
    const reason = refusals[name][situation]
    if (reason !== null) expect(outcome).toMatchObject({ kind: 'refusal', reason })
    else expect(readVerdict(answerOf(outcome).license, Date.now() + 1)).toBe(situation)
  })

  it('reports that a freed activation is gone, even when it is freed again', async () => {
    const { service, emulator, licenseId, request } = await startActivated(name)
    const [key] = emulator.control.keys(licenseId)
    emulator.control.removeKey(licenseId, key?.id ?? '')
    emulator.control.addKey(licenseId, 'Other')
    const reason = refusals[name].gone
    const expected = reason === null ? { kind: 'unavailable' } : { kind: 'refusal', reason }
    expect(await service.validate(request)).toMatchObject(expected)
    expect(await service.deactivate(request)).toMatchObject(expected)
  })

  it('doesn’t accept another license’s activation as one of this license', async () => {
    const { service, licenseKey, emulator, activation } = await startActivated(name)
    emulator.control.createLicense({ id: '11111111-1111-4111-8111-111111111111' })
    const other = licenseKey.replace(/[\da-f]/giu, '1')
    const outcome = await service.validate({ licenseKey: other, activationId: activation.id, ...device })
    expect(outcome.kind).not.toBe('answer')
  })

  it('lists activations with device and fingerprint if it claims to', async () => {
    const { vendor, service, licenseKey, emulator, licenseId } = await startService(name)
    expect(vendor.capabilities.listsActivations).toBe(true)
    expect(service.listActivations === undefined).toBe(!service.capabilities.listsActivations)
    const { activation } = answerOf(await service.activate({ licenseKey, ...device }))
    await service.activate({ licenseKey, ...otherDevice })
    emulator.control.addKey(licenseId, 'Made by hand')
    const list = await listOf(vendor, licenseKey)
    expect(list).toMatchObject({ isWhole: true })
    expect(list.activations).toHaveLength(3)
    expect(list.activations[0]).toMatchObject({ ...device, id: activation.id })
    expect(list.activations[1]).toMatchObject(otherDevice)
    expect(list.activations[2]).toMatchObject({ deviceName: 'Made by hand' })
  })

  it('takes one seat per fingerprint if it claims to', async () => {
    const { service, licenseKey, emulator, licenseId } = await startService(name)
    const first = answerOf(await service.activate({ licenseKey, ...device }))
    const second = answerOf(await service.activate({ licenseKey, ...device }))
    const isSame = first.activation.id === second.activation.id
    expect(isSame).toBe(service.capabilities.idempotentByFingerprint)
    expect(emulator.control.keys(licenseId)).toHaveLength(isSame ? 1 : 2)
  })

  it('names the options that contain a vendor’s secret, never their values', async () => {
    const { service, vendor } = await startService(name)
    expect(service.vendorSecrets).toEqual([])
    if (name !== 'commerce') expect(vendor.vendorSecrets).toHaveLength(1)
    expect(JSON.stringify(vendor)).not.toContain('demo')
  })
})
