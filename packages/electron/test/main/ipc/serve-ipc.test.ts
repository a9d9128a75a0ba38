import type { LicenseService } from '@latchkey/services'
import { commerce } from '@latchkey/services/commerce'
import { describe, expect, test } from 'vitest'
import {
  createIpcHandlers,
  createRefusalLog,
  type IpcEvent,
  serveIpc,
} from '../../../src/main/ipc/serve-ipc.ts'
import type { SenderFacts } from '../../../src/main/ipc/trusted-sender.ts'
import type { ActivationWindowOptions } from '../../../src/main/options/licensing-options.ts'
import { readLicenseKeyText } from '../../../src/shared/license-key-text.ts'
import { channelOf, type LicensingVerb, licensingVerbs } from '../../../src/shared/licensing-bridge.ts'
import { createFakeLicensing } from '../../../src/testing/index.ts'
import { screen } from '../../dialog/stage/fake-bridge.ts'
import { createRecordingLogger } from '../../doubles/recording-logger.ts'

const keyIds = ['66666666-7777-4888-8999-aaaaaaaaaaaa', '66666666-7777-4888-8999-bbbbbbbbbbbb'] as const
const licenseKey = '1f0a0000-0000-4000-8000-000000009c1d'
const maskedKey = '1f0a••••9c1d'
const otherKey = '2e5b0000-0000-4000-8000-000000007d41'
const ownUrl = 'app://notes/index.html'
const appPath = '/Applications/Notes/out/main'
const activationWindowId = 99

/** A message from the main frame of a page, in the window 7. */
function from(url: string, sender: { parent?: unknown; id?: number; type?: string } = {}): IpcEvent {
  const { parent = null, id = 7, type = 'window' } = sender
  return { senderFrame: { url, parent }, sender: { id, getType: () => type } }
}

/** Serves an app of two devices whose page at `ownUrl` is trusted. */
function serve(
  options: {
    clipboard?: string
    links?: ActivationWindowOptions['links']
    opens?: boolean
    findLicenseKey?: LicenseService['findLicenseKey']
  } = {},
) {
  const licensing = createFakeLicensing({ status: 'active' })
  licensing.script(
    'devices',
    keyIds.map((id, index) => ({
      id,
      label: `Device ${index}`,
      activatedAt: null,
      isThisDevice: index === 0,
    })),
  )
  const logger = createRecordingLogger()
  const channels = new Map<string, (event: IpcEvent, ...message: unknown[]) => unknown>()
  const asked: SenderFacts[] = []
  const opened: string[] = []
  let clipboard = options.clipboard ?? ''
  const stop = serveIpc({
    ipcMain: {
      handle: (channel, listener) => void channels.set(channel, listener),
      removeHandler: (channel) => void channels.delete(channel),
    },
    handlers: createIpcHandlers(licensing, {
      getState: licensing.start,
      optionsOf: (windowId) =>
        windowId === activationWindowId ? { title: 'Pro', links: options.links } : {},
      describeScreen: ({ title = 'Notes' }) => ({ ...screen, title }),
      findLicenseKey: options.findLicenseKey ?? readLicenseKeyText,
      returnLink: 'notes://activate',
      logger,
      openExternal: async (url) => {
        if (options.opens === false) throw new Error('no browser')
        opened.push(url)
      },
      clipboard: () => ({ readText: () => clipboard, writeText: (text) => (clipboard = text) }),
    }),
    isActivationWindow: (windowId) => windowId === activationWindowId,
    isTrusted(sender) {
      asked.push(sender)
      return sender.url === ownUrl
    },
    onRefused: createRefusalLog(logger, () => appPath),
    onFailed: (channel, error) => logger.error(`${channel} ${String(error)}`),
  })
  const send = async (
    event: IpcEvent,
    verb: LicensingVerb,
    ...message: readonly unknown[]
  ): Promise<unknown> => channels.get(channelOf(verb))?.(event, ...message)
  return {
    licensing,
    channels,
    asked,
    opened,
    lines: logger.lines,
    stop,
    send,
    /** Calls a verb in the app's own page. */
    call: (verb: LicensingVerb, ...message: readonly unknown[]) => send(from(ownUrl), verb, ...message),
    callInActivationWindow: (verb: LicensingVerb, ...message: readonly unknown[]) =>
      send(from(ownUrl, { id: activationWindowId }), verb, ...message),
    activated: () => licensing.calls.flatMap(({ method, args }) => (method === 'activate' ? args : [])),
    clipboard: () => clipboard,
    copy: (text: string) => (clipboard = text),
  }
}

const verbs = Object.keys(licensingVerbs) as LicensingVerb[]
const wellFormed: { readonly [Verb in LicensingVerb]?: readonly [string] } = {
  activate: ['pasted text'],
  createOfflineRequest: [licenseKey],
  activateOffline: ['latchkey-answer-1.a.b'],
  releaseDevice: ['0f0f0f0f-0000-4000-8000-000000000000'],
  openLink: ['buy'],
  activateFromClipboard: [maskedKey],
}
/** Verbs that don't call the method of the same name, or not with these arguments. */
const ownWays: Readonly<Record<string, readonly string[]>> = {
  getState: ['start'],
  releaseDevice: [],
  screen: [],
  openLink: [],
  clipboardKey: [],
  activateFromClipboard: [],
  copyDiagnosis: ['diagnose'],
}

describe('a verb called over IPC', () => {
  test('every verb of the contract is served until that is stopped, and the push channel is not', () => {
    const { channels, stop } = serve()
    expect([...channels.keys()].sort()).toEqual(verbs.map(channelOf).sort())
    stop()
    expect([...channels.keys()]).toEqual([])
  })

  test.each(verbs)('%s is refused to a foreign page, and done for the app’s own', async (verb) => {
    const { licensing, send, call, lines } = serve()
    const message = wellFormed[verb] ?? []
    const foreign = send(from('https://evil.example/'), verb, ...message)
    await expect(foreign).rejects.toThrow('Latchkey refused this window')
    expect(licensing.calls).toEqual([])
    expect(lines).toEqual([
      expect.stringMatching(`^warn Refused ${channelOf(verb)} from https://evil.example/:`),
    ])
    await call(verb, ...message)
    expect(licensing.calls.map(({ method }) => method)).toEqual(ownWays[verb] ?? [verb])
    if (ownWays[verb] === undefined) expect(licensing.calls[0]?.args).toEqual(message)
  })

  test('the sender is described as it is, and one that is gone is refused', async () => {
    const { asked, send } = serve()
    const sender = { id: 7, getType: () => 'window' }
    const gone: IpcEvent = {
      get senderFrame(): never {
        throw new Error('Render frame was disposed before WebFrameMain could be accessed')
      },
      sender,
    }
    const events = [
      from(ownUrl),
      from(ownUrl, { parent: {} }),
      from(ownUrl, { type: 'webview' }),
      from(ownUrl, { id: activationWindowId }),
    ]
    for (const event of events) await send(event, 'getState')
    for (const event of [{ senderFrame: null, sender }, gone]) {
      await expect(send(event, 'getState')).rejects.toThrow('Latchkey refused this window')
    }
    const facts = { url: ownUrl, isMainFrame: true, isWebview: false, isActivationWindow: false }
    expect(asked).toEqual([
      facts,
      { ...facts, isMainFrame: false },
      { ...facts, isWebview: true },
      { ...facts, isActivationWindow: true },
      { ...facts, url: null, isMainFrame: false },
      { ...facts, url: null, isMainFrame: false },
    ])
  })

  test.each<[string, LicensingVerb, readonly unknown[]]>([
    ['an argument nobody asked for', 'getState', [1]],
    ['no text', 'activate', []],
    ['a number for text', 'activate', [42]],
    ['null for text', 'activate', [null]],
    ['an object that plays a text', 'activate', [{ length: 3, slice: 'x' }]],
    ['two texts', 'activate', ['one', 'two']],
    ['a list for a device', 'releaseDevice', [['a']]],
    ['a megabyte for a device', 'releaseDevice', ['x'.repeat(1_000_000)]],
    ['no word on which key', 'activateFromClipboard', []],
    ['a list for a key', 'activateFromClipboard', [['1f0a••••9c1d']]],
    ['a book for a key', 'activateFromClipboard', ['x'.repeat(1_000_000)]],
    ['a link nobody configured', 'openLink', ['https://evil.example']],
    ['a name every object has', 'openLink', ['__proto__']],
    ['a link in an object', 'openLink', [{ toString: 'buy' }]],
  ])('%s is refused before any handler runs', async (_what, verb, message) => {
    const { licensing, call, lines } = serve()
    await expect(call(verb, ...message)).rejects.toThrow('Latchkey refused this message')
    expect(licensing.calls).toEqual([])
    expect(lines).toEqual([
      expect.stringContaining(`Refused ${channelOf(verb)} from a page of the scheme app: the mess`),
    ])
  })

  test('a handler that fails doesn’t send the reason to the window', async () => {
    const { licensing, call, lines } = serve()
    licensing.validate = () => Promise.reject(new Error(`secret ${licenseKey}`))
    await expect(call('validate')).rejects.toThrow(/^Latchkey could not do this$/)
    expect(lines).toEqual([`error ${channelOf('validate')} Error: secret ${licenseKey}`])
  })
})

describe('warnings about refused messages', () => {
  /** What the log says about a page that isn't trusted. */
  async function refusalOf(url: string | null): Promise<string> {
    const { send, lines } = serve()
    const sender = { id: 7, getType: () => 'window' }
    const event = url === null ? { senderFrame: null, sender } : from(url)
    await send(event, 'activate', 'text').catch(() => {})
    return lines.join('\n')
  }

  test('come once for each page and method, however many messages a hostile page sends', async () => {
    const { call, send, lines } = serve()
    const refused = (url: string) => send(from(url), 'activate', 'text').catch(() => {})
    for (let count = 0; count < 1_000; count += 1) await refused('https://evil.example/')
    for (let count = 0; count < 1_000; count += 1) await call('devices', 'x').catch(() => {})
    expect(lines).toHaveLength(2)
    expect(lines[1]).toMatch(/malformed\. Check the arguments, and build .* with one version/u)
    for (let page = 0; page < 1_000; page += 1) await refused(`https://evil.example/${page}`)
    expect(lines).toHaveLength(50)
  })

  const noAdvice = 'the sender is not a trusted page.'
  const addOrigin = (origin: string) =>
    `the sender is not a trusted page. If this page is your own, add its origin to trustedOrigins: '${origin}'.`
  test.each([
    [
      'https://ui.example.com/a/b?token=1#2',
      'https://ui.example.com/a/b',
      addOrigin('https://ui.example.com'),
    ],
    ['http://localhost:5173/', 'http://localhost:5173/', addOrigin('http://localhost:5173')],
    ['app://other/index.html', 'a page of the scheme app', addOrigin('app://other')],
    [
      'http://192.168.1.2:5173/',
      'http://192.168.1.2:5173/',
      'only trusted on this computer: serve it over https.',
    ],
    [
      'file:///home/ada/page.html',
      'file:///home/ada/page.html',
      `in the app's folder (${appPath}) are trusted`,
    ],
    [
      'file:///home/ada/page.html',
      'file:///home/ada/page.html',
      'start Electron with the project\'s folder ("electron .")',
    ],
    ['data:text/html,token=1', 'a page of the scheme data', noAdvice],
    ['blob:https://ui.example.com/token=1', 'a page of the scheme blob', noAdvice],
    ['about:blank', 'a page of the scheme about', noAdvice],
    ['app:///index.html', 'a page of the scheme app', noAdvice],
    ['https://ada:word@ui.example.com/', 'https://ui.example.com/', noAdvice],
    ['', 'a page without an address', noAdvice],
    [null, 'a frame that is gone', noAdvice],
  ])(
    'name the page %s without its secrets, and say what makes it trusted, if anything does',
    async (url, name, advice) => {
      const told = await refusalOf(url)
      expect(told).toContain(`warn Refused latchkey:activate from ${name}: `)
      expect(told).toContain(advice)
      if (advice === noAdvice) expect(told.endsWith(noAdvice)).toBe(true)
      expect(told).not.toMatch(/token=1|ada:word/u)
    },
  )
})

describe('the devices that a window receives', () => {
  const listed = async ({ call }: ReturnType<typeof serve>) => {
    const { devices } = (await call('devices')) as { devices: { id: string; label: string }[] }
    return devices
  }

  test('have no id of a key, but a handle that stays the same and releases its device', async () => {
    const served = serve()
    const first = await listed(served)
    expect(first).toMatchObject([
      { label: 'Device 0', isThisDevice: true },
      { label: 'Device 1', isThisDevice: false },
    ])
    for (const keyId of keyIds) expect(JSON.stringify(first)).not.toContain(keyId)
    expect(await listed(served)).toEqual(first)
    expect(await served.call('releaseDevice', first[1]?.id)).toEqual({ ok: true })
    expect(served.licensing.calls.at(-1)).toEqual({ method: 'releaseDevice', args: [keyIds[1]] })
  })

  test('can’t be released by the id of a key, nor by a handle of an earlier launch', async () => {
    const [before] = await listed(serve())
    const served = serve()
    await listed(served)
    for (const id of [...keyIds, before?.id]) {
      expect(await served.call('releaseDevice', id)).toMatchObject({ problem: { code: 'device-not-found' } })
    }
    expect(served.licensing.calls.map(({ method }) => method)).toEqual(['devices'])
  })
})

describe('the clipboard', () => {
  test('offers a key masked; the key that was offered is activated, whatever is on it by then, until it was', async () => {
    const { licensing, call, copy, activated } = serve({ clipboard: `Your key: ${licenseKey}.` })
    for (const _failure of [1, 2, 3]) licensing.script('activate', 'offline')
    expect(await call('clipboardKey')).toEqual({ maskedKey })
    for (const text of ['a shopping list', otherKey]) {
      copy(text)
      expect(await call('activateFromClipboard', maskedKey)).toMatchObject({ problem: { code: 'offline' } })
    }
    await call('clipboardKey')
    await call('activateFromClipboard', maskedKey)
    expect(await call('activateFromClipboard', '2e5b••••7d41')).toMatchObject({ ok: true })
    expect(activated()).toEqual([licenseKey, licenseKey, licenseKey, otherKey])
    expect(await call('activateFromClipboard', maskedKey)).toMatchObject({ ok: false })
    expect(activated()).toHaveLength(4)
  })

  test('offers a key to the window that asked, and to no other', async () => {
    const { licensing, call, callInActivationWindow, activated } = serve({ clipboard: licenseKey })
    await callInActivationWindow('clipboardKey')
    for (const mask of [maskedKey, '', '2e5b••••7d41', licenseKey]) {
      expect(await call('activateFromClipboard', mask)).toEqual({
        ok: false,
        problem: expect.objectContaining({ code: 'no-license-key' }),
        state: licensing.state,
      })
    }
    expect(activated()).toEqual([])
  })

  test.each([
    ['INKWELL-1C285B2D-6CE6-4BC7-B8BE-ADB6A7E304DA', true],
    ['ÉCLAIR-1C285B2D-6CE6-4BC7-B8BE-ADB6A7E304DA', true],
    ['4B11-C0DE-77AA', true],
    ['correcthorse7', false],
    ['Tr0ub4dor&3-battery-staple', false],
  ])(
    'offers %s of a service that takes any text: %s, because any word may be a password',
    async (text, isOffered) => {
      const { findLicenseKey } = commerce({ baseUrl: 'https://licensing.example.com', licenseKeys: 'any' })
      const { call } = serve({ clipboard: text, findLicenseKey })
      expect((await call('clipboardKey')) !== null).toBe(isOffered)
    },
  )

  test.each(['', 'a shopping list', `${licenseKey} ${keyIds[0]}`, 'x'.repeat(1_000_000)])(
    'offers nothing else',
    async (clipboard) => {
      expect(await serve({ clipboard }).call('clipboardKey')).toBeNull()
    },
  )

  test('takes the support report', async () => {
    const { call, clipboard } = serve()
    await call('copyDiagnosis')
    expect(clipboard()).toBe('A report of a fake Licensing.')
  })
})

describe('links and looks', () => {
  test('the activation window has its own, other windows have the app’s', async () => {
    const { call, callInActivationWindow, opened } = serve({ links: { buy: 'https://example.com/buy' } })
    expect(await callInActivationWindow('screen')).toMatchObject({ title: 'Pro' })
    expect(await call('screen')).toMatchObject({ title: 'Notes' })
    expect(await call('openLink', 'buy')).toEqual({ ok: true })
    expect(await callInActivationWindow('openLink', 'renew')).toEqual({ ok: true })
    expect(opened).toEqual([])
    expect(await callInActivationWindow('openLink', 'buy')).toEqual({ ok: true })
    expect(opened).toEqual(['https://example.com/buy'])
  })

  test('a link that the system doesn’t open is returned, for the user to copy', async () => {
    const { callInActivationWindow } = serve({ links: { buy: 'https://example.com/buy' }, opens: false })
    const outcome = { ok: false, address: 'https://example.com/buy' }
    expect(await callInActivationWindow('openLink', 'buy')).toEqual(outcome)
  })

  test('a link has the end of the license, which is empty without one, and the way back to the app', async () => {
    const links = { buy: 'https://example.com/buy?until={expiresAt}&back={return}' }
    const { licensing, callInActivationWindow, opened } = serve({ links })
    await callInActivationWindow('openLink', 'buy')
    licensing.setState({ status: 'expired', license: { expiresAt: '2026-03-01T00:00:00Z' } })
    await callInActivationWindow('openLink', 'buy')
    const back = 'notes%3A%2F%2Factivate'
    expect(opened).toEqual([
      `https://example.com/buy?until=&back=${back}`,
      `https://example.com/buy?until=2026-03-01T00%3A00%3A00Z&back=${back}`,
    ])
  })
})
