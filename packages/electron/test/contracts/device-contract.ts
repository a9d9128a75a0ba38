import { describe, expect, test } from 'vitest'
import type { DevicePort } from '../../src/core/ports.ts'

/** Makes a device whose machine ID can be read, or one whose cannot. */
export type MakeDevice = (machine: { readonly id: string | null; readonly appId: string }) => DevicePort

const appId = 'com.example.notes'

/** What every device promises. */
export function describeDeviceContract(name: string, make: MakeDevice): void {
  describe(`the device port, as ${name} keeps it`, () => {
    test('the same machine and app give the same 16 hex digits at every launch', async () => {
      const first = await make({ id: 'a1'.repeat(16), appId }).identify(null)
      const second = await make({ id: 'a1'.repeat(16), appId }).identify(null)
      expect(first.fingerprint).toMatch(/^[0-9a-f]{16}$/)
      expect(second).toEqual(first)
      expect(first).toMatchObject({ source: 'machine-id', randomId: null })
    })

    test('another machine, or another app, gives another fingerprint', async () => {
      const { fingerprint } = await make({ id: 'a1'.repeat(16), appId }).identify(null)
      expect((await make({ id: 'a2'.repeat(16), appId }).identify(null)).fingerprint).not.toBe(fingerprint)
      expect((await make({ id: 'a1'.repeat(16), appId: `${appId}2` }).identify(null)).fingerprint).not.toBe(
        fingerprint,
      )
    })

    test('a readable machine ID wins over a random ID kept from before', async () => {
      const { fingerprint } = await make({ id: 'a1'.repeat(16), appId }).identify(null)
      const again = await make({ id: 'a1'.repeat(16), appId }).identify('kept-from-before')
      expect(again).toMatchObject({ fingerprint, source: 'machine-id', randomId: null })
    })

    test('without a machine ID a random one is made, and kept it names the same device', async () => {
      const first = await make({ id: null, appId }).identify(null)
      expect(first.source).toBe('random')
      expect(first.randomId).toEqual(expect.any(String))
      const second = await make({ id: null, appId }).identify(first.randomId)
      expect(second).toEqual(first)
      const other = await make({ id: null, appId }).identify(null)
      expect(other.fingerprint).not.toBe(first.fingerprint)
    })

    test('the label is never empty', async () => {
      expect((await make({ id: null, appId }).identify(null)).label).not.toBe('')
    })
  })
}
