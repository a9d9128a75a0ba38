import { vi } from 'vitest'
import { runOfflinePage } from '../../src/site/offline-script.ts'
import { languageOf } from '../../src/site/site-texts.ts'

/** An element, as far as the page's script uses one. */
interface PageElement {
  readonly children: (PageElement | string)[]
  onclick?: () => void
}

/** What the page shows. */
export interface OpenPage {
  /** The buttons, by their texts. */
  buttons(): Map<string, () => void>
  /** The texts of all elements, without those inside of others. */
  texts(): string[]
}

/** Runs the page's script for a request in its address. Stubs what it uses of a browser. */
export function openPage(
  request: string,
  ask: (body: object) => Promise<{ status: number; body: unknown }>,
): OpenPage {
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
  vi.stubGlobal('document', {
    documentElement: { lang: 'en' },
    querySelector: () => main,
    createElement: create,
  })
  vi.stubGlobal('location', { pathname: '/v1/offline', hash: `#${request}` })
  vi.stubGlobal('history', { replaceState() {} })
  vi.stubGlobal('window', {})
  vi.stubGlobal('fetch', async (_url: string, { body }: { body: string }) => {
    const answer = await ask(JSON.parse(body))
    return { ok: answer.status === 200, json: async () => answer.body }
  })
  runOfflinePage(languageOf(new Headers()).texts)
  return {
    buttons: () =>
      new Map(
        shown.flatMap((child) =>
          typeof child !== 'string' && child.onclick !== undefined
            ? [[String(child.children[0]), child.onclick] as const]
            : [],
        ),
      ),
    texts: () => shown.flatMap((child) => (typeof child === 'string' ? [child] : child.children)).map(String),
  }
}
