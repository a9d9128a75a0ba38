import { describe, expect, test } from 'vitest'
import { describeProblem } from '../../../src/core/problem.ts'
import { createIpcHandlers, isUnmistakable } from '../../../src/main/ipc/ipc-handlers.ts'
import type { Licensing } from '../../../src/main/licensing.ts'
import type { ActivationWindowOptions } from '../../../src/main/options/licensing-options.ts'
import { readLicenseKeyText } from '../../../src/shared/license-key-text.ts'
import type { LicensingState } from '../../../src/shared/licensing-state.ts'
import type { DevicesResult } from '../../../src/shared/results.ts'
import { bareStates } from '../../doubles/bare-states.ts'

const keyIds = ['66666666-7777-4888-8999-aaaaaaaaaaaa', '66666666-7777-4888-8999-bbbbbbbbbbbb'] as const
const licenseKey = '1f0a0000-0000-4000-8000-000000009c1d'
const maskedKey = '1f0a••••9c1d'
const otherKey = '2e5b0000-0000-4000-8000-000000007d41'
const state: LicensingState = bareStates.unlicensed
const devices: DevicesResult = {
  ok: true,
  devices: keyIds.map((id, index) => ({
    id,
    label: `Device ${index}`,
    activatedAt: '2026-11-01T12:00:00.000Z',
    isThisDevice: index === 0,
  })),
}

function setUp(
  options: {
    openExternal?: (url: string) => Promise<void>
    clipboard?: string
    window?: ActivationWindowOptions
    fails?: boolean
  } = {},
) {
  const done: string[] = []
  let clipboard = options.clipboard ?? ''
  const offline = describeProblem({ code: 'offline' }, 0)
  const licensing: Licensing = {
    state,
    start: async () => state,
    subscribe: () => () => {},
    has: () => false,
    covers: () => true,
    lease: () => null,
    async activate(text) {
      done.push(`activate ${text}`)
      return options.fails ? { ok: false, problem: offline, state } : { ok: true, state }
    },
    async reactivate() {
      done.push('reactivate')
      return { ok: true, state }
    },
    async createOfflineRequest(text) {
      done.push(`request for ${text}`)
      return { ok: true, text: 'request', link: 'https://licenses.vendor.example/v1/offline#request' }
    },
    async activateOffline(text) {
      done.push(`answer ${text}`)
      return { ok: true, state }
    },
    validate: async () => state,
    async cancelActivation() {
      done.push('cancel')
      return state
    },
    deactivate: async () => ({ ok: true, seat: 'freed', state }),
    devices: async () => devices,
    runCommand: async () => null,
    async releaseDevice(id) {
      done.push(`release ${id}`)
      return { ok: true }
    },
    openActivationWindow: async () => void done.push('open'),
    closeActivationWindow: () => void done.push('close'),
    gate: () => () => {},
    diagnose: async () => 'the report',
    dispose: async () => {},
  }
  const handlers = createIpcHandlers(licensing, {
    getState: licensing.start,
    optionsOf: (windowId) => (windowId === 99 ? (options.window ?? {}) : {}),
    describeScreen: ({ title }) => ({
      title: title ?? 'Notes',
      logo: null,
      accent: null,
      links: [],
      locale: 'en',
      strings: {},
      prefilledText: null,
    }),
    findLicenseKey: readLicenseKeyText,
    returnLink: 'notes://activate',
    logger: { warn: (line) => void done.push(`warn ${line}`) },
    openExternal: options.openExternal ?? (async (url) => void done.push(`open ${url}`)),
    clipboard: () => ({ readText: () => clipboard, writeText: (text) => (clipboard = text) }),
  })
  return { handlers, done, clipboard: () => clipboard, copy: (text: string) => (clipboard = text) }
}

async function listed(handlers: ReturnType<typeof setUp>['handlers']) {
  const result = await handlers.devices(7)
  return result.ok ? result.devices : []
}

describe('the devices that a window receives', () => {
  test('no id of a key, and the same handle for the same device at every call', async () => {
    const { handlers } = setUp()
    const first = await listed(handlers)
    expect(first.map(({ label, isThisDevice }) => ({ label, isThisDevice }))).toEqual([
      { label: 'Device 0', isThisDevice: true },
      { label: 'Device 1', isThisDevice: false },
    ])
    for (const keyId of keyIds) expect(JSON.stringify(first)).not.toContain(keyId)
    expect(await listed(handlers)).toEqual(first)
  })

  test('handles of one launch are invalid in the next', async () => {
    const [before] = await listed(setUp().handlers)
    const { handlers, done } = setUp()
    await listed(handlers)
    expect(await handlers.releaseDevice(7, before?.id ?? '')).toMatchObject({
      ok: false,
      problem: { code: 'device-not-found' },
    })
    expect(done).toEqual([])
  })

  test('a handle releases its device; the id of a key releases none', async () => {
    const { handlers, done } = setUp()
    const [, second] = await listed(handlers)
    expect(await handlers.releaseDevice(7, second?.id ?? '')).toEqual({ ok: true })
    expect(done).toEqual([`release ${keyIds[1]}`])
    for (const keyId of keyIds) expect(await handlers.releaseDevice(7, keyId)).toMatchObject({ ok: false })
    expect(done).toHaveLength(1)
  })
})

describe('the clipboard', () => {
  test('a key on it is offered masked, and activated without entering the window', async () => {
    const { handlers, done } = setUp({ clipboard: `Your key: ${licenseKey}.` })
    const offered = await handlers.clipboardKey(7)
    expect(offered).toEqual({ maskedKey })
    await handlers.activateFromClipboard(7, maskedKey)
    expect(done).toEqual([`activate ${licenseKey}`])
  })

  test('the key that was offered is the one activated, each time, whatever is on it by then', async () => {
    const { handlers, done, copy } = setUp({ clipboard: licenseKey, fails: true })
    await handlers.clipboardKey(7)
    for (const text of ['a shopping list', otherKey]) {
      copy(text)
      expect(await handlers.activateFromClipboard(7, maskedKey)).toMatchObject({
        problem: { code: 'offline' },
      })
    }
    await handlers.clipboardKey(7)
    await handlers.activateFromClipboard(7, maskedKey)
    await handlers.activateFromClipboard(7, '2e5b••••7d41')
    expect(done).toEqual([licenseKey, licenseKey, licenseKey, otherKey].map((key) => `activate ${key}`))
  })

  test('a key that was not offered to this window is not activated', async () => {
    const { handlers, done } = setUp({ clipboard: licenseKey })
    await handlers.clipboardKey(8)
    for (const mask of [maskedKey, '', '2e5b••••7d41', licenseKey]) {
      expect(await handlers.activateFromClipboard(7, mask)).toEqual({
        ok: false,
        problem: expect.objectContaining({ code: 'no-license-key' }),
        state,
      })
    }
    expect(done).toEqual([])
  })

  test('an offer ends with its success', async () => {
    const { handlers, done } = setUp({ clipboard: licenseKey })
    await handlers.clipboardKey(7)
    expect(await handlers.activateFromClipboard(7, maskedKey)).toMatchObject({ ok: true })
    expect(await handlers.activateFromClipboard(7, maskedKey)).toMatchObject({ ok: false })
    expect(done).toHaveLength(1)
  })

  test.each([
    ['INKWELL-1C285B2D-6CE6-4BC7-B8BE-ADB6A7E304DA', true],
    ['ÉCLAIR-1C285B2D-6CE6-4BC7-B8BE-ADB6A7E304DA', true],
    ['4B11-C0DE-77AA', true],
    ['correcthorse7', false],
    ['Tr0ub4dor&3-battery-staple', false],
  ])('%s is offered from it: %s, because any word may be a password', (text, isOffered) => {
    expect(isUnmistakable(text)).toBe(isOffered)
  })

  test.each(['', 'a shopping list', `${licenseKey} ${keyIds[0]}`, 'x'.repeat(1_000_000)])(
    'anything else on it stays unread by the window',
    async (clipboard) => {
      expect(await setUp({ clipboard }).handlers.clipboardKey(7)).toBeNull()
    },
  )

  test('takes the support report', async () => {
    const { handlers, clipboard } = setUp()
    await handlers.copyDiagnosis(7)
    expect(clipboard()).toBe('the report')
  })
})

describe('links and looks', () => {
  test('the activation window has its own, other windows have the app’s', async () => {
    const { handlers } = setUp({ window: { title: 'Notes Pro' } })
    expect((await handlers.screen(99)).title).toBe('Notes Pro')
    expect((await handlers.screen(7)).title).toBe('Notes')
  })

  test('a configured link opens outside; one that is not configured does nothing', async () => {
    const { handlers, done } = setUp({ window: { links: { buy: 'https://example.com/buy' } } })
    await handlers.openLink(99, 'buy')
    await handlers.openLink(99, 'renew')
    await handlers.openLink(7, 'buy')
    expect(done).toEqual(['open https://example.com/buy'])
  })

  test('a link that the system doesn’t open is returned, for the user to copy', async () => {
    const { handlers } = setUp({
      window: { links: { buy: 'https://example.com/buy' } },
      openExternal: () => Promise.reject(new Error('no browser')),
    })
    expect(await handlers.openLink(99, 'buy')).toEqual({ ok: false, address: 'https://example.com/buy' })
    expect(await handlers.openLink(99, 'renew')).toEqual({ ok: true })
  })

  test('a link may ask for the end of the license, which is empty without one', async () => {
    const coveredVersion = 'https://example.com/versions?until={expiresAt}'
    const { handlers, done } = setUp({ window: { links: { coveredVersion } } })
    await handlers.openLink(99, 'coveredVersion')
    expect(done).toEqual(['open https://example.com/versions?until='])
  })

  test('the link to the shop may bring the buyer back', async () => {
    const { handlers, done } = setUp({ window: { links: { buy: 'https://example.com/buy?back={return}' } } })
    await handlers.openLink(99, 'buy')
    expect(done).toEqual(['open https://example.com/buy?back=notes%3A%2F%2Factivate'])
  })
})
