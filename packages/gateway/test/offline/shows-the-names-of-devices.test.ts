import { writeOfflineRequest } from '@latchkey/services/offline'
import { expect, test, vi } from 'vitest'
import { runPage } from '../../src/offline/page/page-script.ts'
import { allTexts } from '../../src/offline/page/texts/all-texts.ts'
import { otherFingerprint } from '../services/face-fixture.ts'
import { asking, startOffline } from './offline-fixture.ts'

/** An element, as far as the page's script uses one. */
interface PageElement {
  readonly children: (PageElement | string)[]
  onclick?: () => void
}

/** Runs the page's script for a request in its address. Returns the page's buttons, with their texts. */
function openPage(request: string, ask: (body: object) => Promise<{ status: number; body: unknown }>) {
  const create = () => {
    const children: PageElement['children'] = []
    return {
      children,
      append: (...added: PageElement['children']) => void children.push(...added),
      focus() {},
    }
  }
  let shown: PageElement['children'] = []
  const main = {
    replaceChildren(...children: PageElement['children']) {
      shown = children
    },
  }
  vi.stubGlobal('navigator', { languages: ['en'] })
  vi.stubGlobal('document', { documentElement: {}, querySelector: () => main, createElement: create })
  vi.stubGlobal('location', { pathname: '/v1/offline', hash: `#${request}` })
  vi.stubGlobal('history', { replaceState() {} })
  vi.stubGlobal('window', {})
  vi.stubGlobal('fetch', async (_url: string, { body }: { body: string }) => {
    const answer = await ask(JSON.parse(body))
    return { ok: answer.status === 200, json: async () => answer.body }
  })
  runPage(allTexts)
  return (): Map<string, () => void> =>
    new Map(
      shown.flatMap((child) =>
        typeof child !== 'string' && child.onclick !== undefined
          ? [[String(child.children[0]), child.onclick] as const]
          : [],
      ),
    )
}

/** The page's own requests use `fetch`, too. */
const gatewaysFetch = globalThis.fetch

test('the page shows the names of the devices that hold the seats, exactly as they are', async () => {
  const { ask, emulator, licenseKey, licenseId } = await startOffline('commerce', {
    fetch: gatewaysFetch,
  })
  const names = ['$& of $1', "$` and $'", '$$']
  for (const name of names) emulator.control.addKey(licenseId, `${name} [${otherFingerprint}]`)
  const request = writeOfflineRequest({ ...asking, licenseKey })
  const buttons = openPage(request, (body) => ask('POST', '/offline', body))
  const { activate, release } = allTexts['en'] ?? { activate: '', release: '' }
  await vi.waitFor(() => expect([...buttons().keys()]).toContain(activate))
  buttons().get(activate)?.()
  const [before, after] = release.split('{name}')
  await vi.waitFor(() =>
    expect([...buttons().keys()]).toEqual(
      expect.arrayContaining(names.map((name) => `${before}\u2068${name}\u2069${after}`)),
    ),
  )
})
