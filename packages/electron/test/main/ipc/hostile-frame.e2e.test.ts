import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect } from 'vitest'
import { channelOf, licensingVerbs } from '../../../src/shared/licensing-bridge.ts'
import { test } from '../../fixtures/open-app-test.ts'
import { openFrame } from '../../fixtures/open-frame.ts'

const messageCount = 10_000

/**
 * Runs in the frame: sends many messages to every channel with the plain `ipcRenderer`, and counts the answers.
 * Everything drawn comes from `seed`, so that a failure can be had again.
 */
async function sendAnything(task: { channels: readonly string[]; count: number; seed: number }) {
  const { ipcRenderer }: { ipcRenderer: Electron.IpcRenderer } = Reflect.get(window, 'require')('electron')
  let state = task.seed
  const draw = (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
  const cyclic: Record<string, unknown> = {}
  cyclic['self'] = cyclic
  const makers: readonly (() => unknown)[] = [
    () => undefined,
    () => null,
    () => draw(2) === 0,
    () => draw(1_000_000) / (draw(3) || Number.NaN),
    () => 10n ** 30n,
    () => '',
    () => '1f0a0000-0000-4000-8000-000000009c1d',
    () => String.fromCharCode(...Array.from({ length: draw(40) }, () => draw(0x10000))),
    () => 'x'.repeat(draw(20_000)),
    () => ['buy', 'renew', 'support', '__proto__', 'constructor'][draw(5)],
    () => ({ toString: 'x', length: draw(5), [`key${draw(9)}`]: anything() }),
    () => JSON.parse('{"__proto__":{"isTrusted":true}}'),
    () => Array.from({ length: draw(4) }, anything),
    () => new Uint8Array(draw(2000)).buffer,
    () => new Map([[anything(), anything()]]),
    () => new Date(draw(2) === 0 ? Number.NaN : draw(1_000_000)),
    () => new Error('x'),
    () => cyclic,
    () => new Proxy({}, {}),
    () => () => 'a function cannot be sent',
  ]
  const anything = (): unknown => makers[draw(makers.length)]?.()

  const answers: Record<string, number> = {}
  const invoke = async (): Promise<void> => {
    const channel = task.channels[draw(task.channels.length)] ?? ''
    const message = Array.from({ length: draw(4) }, anything)
    // Sent messages have no listener, so they must have no effect.
    try {
      if (draw(10) === 0) ipcRenderer.send(channel, ...message)
    } catch {
      // Values that can't be cloned never leave the frame, and `invoke` rejects below.
    }
    const answer = await ipcRenderer.invoke(channel, ...message).then(() => 'answered', String)
    const kind = answer.replace(/'latchkey:[a-zA-Z]+'/, '…')
    const heard = /could not be cloned/.test(kind) ? 'never sent' : kind
    answers[heard] = (answers[heard] ?? 0) + 1
  }
  for (let sent = 0; sent < task.count; sent += 100) await Promise.all(Array.from({ length: 100 }, invoke))
  return answers
}

describe('a frame inside the app’s own page that got hold of ipcRenderer', () => {
  test(`sends ${messageCount} messages of every kind, and not one of them reaches a handler`, async ({
    openApp,
    emulator,
  }) => {
    // The preload needs context isolation; a frame that has `ipcRenderer` to itself can only be had without.
    const app = await openApp({ expectProblem: ({ text }) => /contextBridge|preload script/.test(text) })
    await app.createLicensing({ deepLinkScheme: 'open-app' })
    const ownPage = pathToFileURL(path.join(app.appPath, 'page.html')).href
    const own = await app.openWindow(ownPage, {
      nodeIntegration: true,
      nodeIntegrationInSubFrames: true,
      contextIsolation: false,
      sandbox: false,
    })
    const frame = await openFrame(own, ownPage)
    const clipboard = await app.electronApp.evaluate(({ clipboard: board }) => {
      board.writeText('what the user copied')
      return board.readText()
    })

    const seed = Math.floor(Math.random() * 2 ** 32)
    const invoked = Object.keys(licensingVerbs).map(channelOf)
    const answers = await frame.evaluate(sendAnything, { channels: invoked, count: messageCount, seed })

    const { 'never sent': neverSent = 0, ...heard } = answers
    const refusal = 'Error: Error invoking remote method …: Error: Latchkey refused this window'
    expect(heard, `seed ${seed}`).toEqual({ [refusal]: messageCount - neverSent })
    expect(neverSent).toBeLessThan(messageCount / 2)
    // Nothing that a handler would have left behind.
    expect(emulator.control.requests()).toEqual([])
    expect(app.electronApp.windows()).toHaveLength(1)
    expect(await app.electronApp.evaluate(({ clipboard: board }) => board.readText())).toBe(clipboard)
    expect(await app.electronApp.evaluate(() => globalThis.licensing.state)).toMatchObject({
      status: 'unlicensed',
      activity: 'idle',
      problem: null,
    })
    // It is logged for the developer, but not too often.
    const logged = await app.logged()
    expect(logged.length).toBeGreaterThan(0)
    expect(logged.length).toBeLessThan(20)
  })
})
