import { expect, test } from 'vitest'
import { lost, type SceneOptions, says, scene, secondMs, signal } from '../fixture.ts'
import type { Fate } from '../service-model.ts'

/** A device whose license has other devices, which were activated before it. */
async function activatedBeside(names: readonly string[], options: SceneOptions = {}) {
  const it = await scene(options)
  const others = names.map((name) => {
    it.device.sleep(secondMs)
    return it.model.addKey(it.license, name)
  })
  it.device.sleep(secondMs)
  await it.device.core.activate(it.license.id)
  return { ...it, others }
}

/** A license without a free seat. */
function fullLicense({ model }: Awaited<ReturnType<typeof scene>>, name: string) {
  const full = model.addLicense(1)
  model.addKey(full, name)
  return full
}

const told = (lines: readonly string[]) => lines.filter((line) => /^(?:warn|error)/u.test(line))

test('lists the devices of the license, oldest first, without fingerprints, with this one marked', async () => {
  const { license, device } = await activatedBeside(['Old tower [0123456789abcdef]', ' Printer '])
  const [tower, printer, laptop] = license.keys
  license.keys = [...license.keys].reverse()
  expect(await device.core.devices()).toEqual({
    ok: true,
    devices: [
      { id: tower?.id, label: 'Old tower', isThisDevice: false, activatedAt: expect.stringMatching(/Z$/) },
      { id: printer?.id, label: 'Printer', isThisDevice: false, activatedAt: expect.any(String) },
      { id: laptop?.id, label: 'Work laptop', isThisDevice: true, activatedAt: expect.any(String) },
    ],
  })
})

test('releasing a lost device in the limit screen of a new one activates the new one', async () => {
  const { model, license, device } = await scene({ seats: 1 })
  model.addKey(license, 'Lost [0123456789abcdef]')
  expect(await device.core.activate(license.id)).toMatchObject({ problem: { code: 'no-seat-left' } })
  const listed = await device.core.devices()
  if (!listed.ok) throw new Error(listed.problem.code)
  expect(await device.core.releaseDevice(listed.devices[0]?.id ?? '')).toEqual({ ok: true })
  expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
  expect(license.keys).toMatchObject([{ name: expect.stringMatching(/^Work laptop/) }])
})

test('with devices: own, a device sees and releases only itself', async () => {
  const colleague = 'Colleague [0123456789abcdef]'
  const it = await activatedBeside([colleague], { rules: { devices: 'own' } })
  const { license, device, others } = it
  const own = license.keys[1]?.id ?? ''
  expect(await device.core.devices()).toMatchObject({ ok: true, devices: [{ id: own, isThisDevice: true }] })
  const denied = { ok: false, problem: { code: 'other-device' } }
  expect(await device.core.releaseDevice(others[0]?.id ?? '')).toMatchObject(denied)
  expect(license.keys).toHaveLength(2)
  expect(await device.core.releaseDevice(own)).toEqual({ ok: true })
  expect(device.state).toMatchObject({ status: 'unlicensed', entitled: false })
  expect(license.keys).toEqual(others)

  const full = fullLicense(it, colleague)
  expect(await device.core.activate(full.id)).toMatchObject({ problem: { code: 'no-seat-left' } })
  expect(await device.core.devices()).toMatchObject(denied)
})

test('the limit screen ignores a pending list of another license', async () => {
  const answer = signal()
  let isSlow = false
  const it = await scene({
    isActivated: true,
    wrap: (service) => ({
      ...service,
      async listActivations(request, call) {
        const list = await service.listActivations?.(request, call)
        if (isSlow && request.licenseKey === it.license.id) {
          isSlow = false
          await answer.promise
        }
        return list ?? expect.unreachable()
      },
    }),
  })
  const { device } = it
  isSlow = true
  const slow = device.core.devices()
  await expect.poll(() => isSlow).toBe(false)
  await device.core.activate(fullLicense(it, 'Lost').id)
  const shown = device.core.devices()
  answer.resolve()
  expect(await shown).toMatchObject({ devices: [{ label: 'Lost' }] })
  expect(await slow).toMatchObject({ devices: [{ label: 'Work laptop' }] })
})

test('the limit screen shows the devices of the full license, and afterwards those of the working license', async () => {
  const it = await scene({ isActivated: true })
  const { license, device } = it
  await device.core.activate(fullLicense(it, 'Tower').id)
  expect(await device.core.devices()).toMatchObject({ devices: [{ label: 'Tower' }] })
  for (const other of [license.id, '00000000-0000-4000-8000-000000000000']) {
    await device.core.activate(other)
    expect(await device.core.devices()).toMatchObject({ devices: [{ label: 'Work laptop' }] })
  }
})

test('a device is released from the license it was listed for, even if another one is current', async () => {
  const it = await activatedBeside(['Tower [0123456789abcdef]'])
  const { license, device, others } = it
  await device.core.devices()
  const full = fullLicense(it, 'Other')
  expect(await device.core.activate(full.id)).toMatchObject({ problem: { code: 'no-seat-left' } })
  expect(await device.core.releaseDevice(others[0]?.id ?? '')).toEqual({ ok: true })
  expect([license.keys.length, full.keys.length]).toEqual([1, 1])
})

test('an activation that finds no free seat later also shows the devices', async () => {
  const { model, license, device } = await scene({ seats: 1, fates: { keys: [lost] } })
  expect(await device.core.activate(license.id)).toMatchObject({ problem: { code: 'offline' } })
  model.addKey(license, 'Tower')
  await device.core.validate()
  expect(device.state).toMatchObject({ problem: { code: 'no-seat-left' } })
  expect(await device.core.devices()).toMatchObject({ devices: [{ label: 'Tower' }] })
})

test('an id from elsewhere frees its seat without a warning, also if it is gone, and waits for nothing', async () => {
  const { license, device, fates, others } = await activatedBeside(['Tower'])
  const id = others[0]?.id ?? ''
  fates.deactivate = [lost]
  expect(await device.core.releaseDevice(id)).toMatchObject({ ok: false, problem: { code: 'offline' } })
  expect((await device.recordOnDisk()).owed).toEqual([])
  for (const _time of ['first', 'second']) {
    expect(await device.core.releaseDevice(id)).toEqual({ ok: true })
    expect(license.keys).toMatchObject([{ name: expect.stringMatching(/^Work laptop/) }])
  }
  expect(told(device.logger.lines)).toEqual([])
})

test.each([undefined, null, 5, {}, ''])('%j in place of an id is reported to the developer', async (id) => {
  const { license, device } = await activatedBeside(['Tower'])
  const released: unknown = await Reflect.apply(device.core.releaseDevice, device.core, [id])
  expect(released).toMatchObject({ ok: false, problem: { code: 'device-not-found' } })
  const warning = 'releaseDevice() needs the id of a device, as a text.'
  expect(told(device.logger.lines)).toEqual([expect.stringContaining(warning)])
  expect(license.keys).toHaveLength(2)
})

test('without a license there is nothing to list, release, deactivate or activate again', async () => {
  const { device } = await scene()
  const nothing = { ok: false, problem: { code: 'not-activated' } }
  expect(await device.core.deactivate()).toMatchObject(nothing)
  expect(await device.core.reactivate()).toMatchObject(nothing)
  expect(await device.core.devices()).toMatchObject(nothing)
  expect(await device.core.releaseDevice('00000000-0000-4000-8000-000000000000')).toMatchObject(nothing)
})

test.each<[Fate, string]>([
  [lost, 'offline'],
  [says(503), 'service-error'],
  [says(403), 'unauthorized'],
  // No activation was requested here.
  [says(422), 'service-error'],
  [{ kind: 'portal' }, 'unexpected-answer'],
  [says(404), 'unexpected-answer'],
])('%j while listing is reported as %s', async (fate, code) => {
  const { device } = await scene({ isActivated: true, fates: { keys: [fate] } })
  expect(await device.core.devices()).toMatchObject({ ok: false, problem: { code } })
})
