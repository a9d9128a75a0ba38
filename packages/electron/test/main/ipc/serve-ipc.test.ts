import { describe, expect, test } from 'vitest'
import {
  type IpcEvent,
  type IpcHandlers,
  type IpcMainPort,
  serveIpc,
} from '../../../src/main/ipc/serve-ipc.ts'
import type { SenderFacts } from '../../../src/main/ipc/trusted-sender.ts'
import { channelOf, licensingVerbs } from '../../../src/shared/licensing-bridge.ts'

const channels = Object.keys(licensingVerbs).map(channelOf)
const ownUrl = 'app://notes/index.html'

/** `ipcMain` as far as it matters: one handler per channel. */
function createIpcMain() {
  const handlers = new Map<string, (event: IpcEvent, ...message: unknown[]) => unknown>()
  const ipcMain: IpcMainPort = {
    handle(channel, listener) {
      if (handlers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`)
      handlers.set(channel, listener)
    },
    removeHandler: (channel) => void handlers.delete(channel),
  }
  return { ipcMain, handlers }
}

interface Served {
  readonly calls: string[]
  readonly refused: string[]
  readonly failed: string[]
  readonly asked: SenderFacts[]
  readonly handlers: ReadonlyMap<string, (event: IpcEvent, ...message: unknown[]) => unknown>
  readonly stop: () => void
  invoke(channel: string, event: IpcEvent, ...message: unknown[]): Promise<unknown>
}

function serve(
  isTrusted: (sender: SenderFacts) => boolean = ({ url }) => url === ownUrl,
  fails = false,
): Served {
  const { ipcMain, handlers } = createIpcMain()
  const calls: string[] = []
  const refused: string[] = []
  const failed: string[] = []
  const asked: SenderFacts[] = []
  const verb =
    (name: string) =>
    async (...message: unknown[]): Promise<never> => {
      calls.push([name, ...message].join(' '))
      if (fails) throw new Error('secret 1f0a0000-0000-4000-8000-000000009c1d')
      return undefined as never
    }
  const ipcHandlers: IpcHandlers = {
    getState: verb('getState'),
    activate: verb('activate'),
    reactivate: verb('reactivate'),
    validate: verb('validate'),
    createOfflineRequest: verb('createOfflineRequest'),
    activateOffline: verb('activateOffline'),
    cancelActivation: verb('cancelActivation'),
    deactivate: verb('deactivate'),
    devices: verb('devices'),
    releaseDevice: verb('releaseDevice'),
    openActivationWindow: verb('openActivationWindow'),
    closeActivationWindow: verb('closeActivationWindow'),
    screen: verb('screen'),
    openLink: verb('openLink'),
    clipboardKey: verb('clipboardKey'),
    activateFromClipboard: verb('activateFromClipboard'),
    copyDiagnosis: verb('copyDiagnosis'),
  }
  const stop = serveIpc({
    ipcMain,
    handlers: ipcHandlers,
    isActivationWindow: (windowId) => windowId === 99,
    isTrusted(sender) {
      asked.push(sender)
      return isTrusted(sender)
    },
    onRefused: (channel, url, why) => refused.push(`${channel} ${url} ${why}`),
    onFailed: (channel, error) => failed.push(`${channel} ${String(error)}`),
  })
  return {
    calls,
    refused,
    failed,
    asked,
    handlers,
    stop,
    invoke: async (channel, event, ...message) => handlers.get(channel)?.(event, ...message),
  }
}

function eventFrom(url: string, options: { parent?: unknown; id?: number; type?: string } = {}): IpcEvent {
  const { parent = null, id = 7, type = 'window' } = options
  return { senderFrame: { url, parent }, sender: { id, getType: () => type } }
}

const wellFormed: Readonly<Record<string, readonly unknown[]>> = {
  [channelOf('activate')]: ['pasted text'],
  [channelOf('createOfflineRequest')]: ['1f0a0000-0000-4000-8000-000000009c1d'],
  [channelOf('activateOffline')]: ['latchkey-answer-1.a.b'],
  [channelOf('releaseDevice')]: ['0f0f0f0f-0000-4000-8000-000000000000'],
  [channelOf('openLink')]: ['buy'],
  [channelOf('activateFromClipboard')]: ['1f0a••••9c1d'],
}
const messageFor = (channel: string): readonly unknown[] => wellFormed[channel] ?? []

describe('a verb called over IPC', () => {
  test('every verb of the contract is served, and the push channel is not', () => {
    expect([...serve().handlers.keys()].sort()).toEqual([...channels].sort())
  })

  test.each(channels)(
    '%s reaches its handler from a trusted page, with the window that asks',
    async (channel) => {
      const served = serve()
      await served.invoke(channel, eventFrom(ownUrl), ...messageFor(channel))
      expect(served.calls).toHaveLength(1)
      expect(served.calls[0]?.split(' ').slice(1, 2)).toEqual(['7'])
      expect(served.refused).toEqual([])
    },
  )

  test.each(channels)('%s is refused to a foreign page, and no handler runs', async (channel) => {
    const served = serve()
    const invoked = served.invoke(channel, eventFrom('https://evil.example/'), ...messageFor(channel))
    await expect(invoked).rejects.toThrow('Latchkey refused this window')
    expect(served.calls).toEqual([])
    expect(served.refused).toEqual([`${channel} https://evil.example/ untrusted-sender`])
  })

  test('the sender is described as it is', async () => {
    const served = serve(() => true)
    const facts = { url: ownUrl, isMainFrame: true, isWebview: false, isActivationWindow: false }
    await served.invoke(channelOf('getState'), eventFrom(ownUrl))
    await served.invoke(channelOf('getState'), eventFrom(ownUrl, { parent: {} }))
    await served.invoke(channelOf('getState'), eventFrom(ownUrl, { type: 'webview' }))
    await served.invoke(channelOf('getState'), eventFrom(ownUrl, { id: 99 }))
    await served.invoke(channelOf('getState'), {
      senderFrame: null,
      sender: { id: 7, getType: () => 'window' },
    })
    expect(served.asked).toEqual([
      facts,
      { ...facts, isMainFrame: false },
      { ...facts, isWebview: true },
      { ...facts, isActivationWindow: true },
      { ...facts, url: null, isMainFrame: false },
    ])
  })

  test('a frame that was disposed of in the meantime is refused, not fatal', async () => {
    const served = serve(({ url }) => url !== null)
    const gone: IpcEvent = {
      get senderFrame(): never {
        throw new Error('Render frame was disposed before WebFrameMain could be accessed')
      },
      sender: { id: 7, getType: () => 'window' },
    }
    await expect(served.invoke(channelOf('getState'), gone)).rejects.toThrow('Latchkey refused this window')
    expect(served.calls).toEqual([])
  })

  test.each<[string, string, readonly unknown[]]>([
    ['an argument nobody asked for', channelOf('getState'), [1]],
    ['no text', channelOf('activate'), []],
    ['a number for text', channelOf('activate'), [42]],
    ['null for text', channelOf('activate'), [null]],
    ['an object that plays a text', channelOf('activate'), [{ length: 3, slice: 'x' }]],
    ['two texts', channelOf('activate'), ['one', 'two']],
    ['a list for a device', channelOf('releaseDevice'), [['a']]],
    ['a megabyte for a device', channelOf('releaseDevice'), ['x'.repeat(1_000_000)]],
    ['no word on which key', channelOf('activateFromClipboard'), []],
    ['a list for a key', channelOf('activateFromClipboard'), [['1f0a••••9c1d']]],
    ['a book for a key', channelOf('activateFromClipboard'), ['x'.repeat(1_000_000)]],
    ['a link nobody configured', channelOf('openLink'), ['https://evil.example']],
    ['a name every object has', channelOf('openLink'), ['__proto__']],
    ['a link in an object', channelOf('openLink'), [{ toString: 'buy' }]],
  ])('%s is refused before any handler runs', async (_what, channel, message) => {
    const served = serve()
    await expect(served.invoke(channel, eventFrom(ownUrl), ...message)).rejects.toThrow(
      'Latchkey refused this message',
    )
    expect(served.calls).toEqual([])
    expect(served.refused).toEqual([`${channel} ${ownUrl} malformed-message`])
  })

  test('a handler that fails doesn’t send the reason to the window', async () => {
    const served = serve(() => true, true)
    await expect(served.invoke(channelOf('validate'), eventFrom(ownUrl))).rejects.toThrow(
      /^Latchkey could not do this$/,
    )
    expect(served.failed).toEqual([
      `${channelOf('validate')} Error: secret 1f0a0000-0000-4000-8000-000000009c1d`,
    ])
  })

  test('serves nothing once it is stopped', () => {
    const served = serve()
    served.stop()
    expect([...served.handlers.keys()]).toEqual([])
  })
})
