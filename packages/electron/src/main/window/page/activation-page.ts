import { createHash } from 'node:crypto'
import type { Session } from 'electron'
import { activationPageUrl, type PageStart, pageStartId } from '../../../shared/page-start.ts'

export { activationPageUrl } from '../../../shared/page-start.ts'

const scriptUrl = `${activationPageUrl}activation-page.js`
const offlineScriptUrl = `${activationPageUrl}offline-screen.js`
/** Chromium's `net::ERR_FAILED`. */
const failedError = -2

/** Who draws the title bar: the system, or the page, with the buttons of macOS or Windows. */
export type TitleBar = 'native' | 'mac' | 'windows'

/** What the activation page consists of. */
export interface ActivationPageContent {
  readonly html: string
  /** A script, which the page imports as `./activation-page.js` after its first paint. */
  readonly script: string
  /** Renders what the page shows before its script has run; `null` if it shows nothing. */
  readonly initialRender: (start: PageStart, nowMs: number) => string | null
}

/** What the session of the activation window serves. */
export interface ActivationPage {
  /** Where the window's title is shown: in the page next to the system's buttons, or in the window frame. */
  readonly titleBar: TitleBar
  readonly loadContent: () => Promise<ActivationPageContent>
  /** Loads the module that the page imports as `./offline-screen.js` when the user activates without internet. */
  readonly loadOfflineScript: () => Promise<string>
  /** Returns the page's initial data. Called every time it is loaded. */
  readonly start: () => Promise<PageStart>
}

/** What the session answers to a request of its page. */
interface PageAnswer {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/**
 * Makes a session serve the activation page, and block everything else.
 *
 * @returns a function that composes the page for the next request, while the renderer process starts.
 */
export function serveActivationPage(session: Session, page: ActivationPage): () => void {
  const headers = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
  let composed: Promise<PageAnswer> | null = null

  async function answer(url: string): Promise<PageAnswer> {
    if (url === activationPageUrl) {
      const answered = composed ?? compose()
      composed = null
      return answered
    }
    if (url === scriptUrl || url === offlineScriptUrl) {
      return {
        statusCode: 200,
        headers: { ...headers, 'content-type': 'text/javascript; charset=utf-8' },
        text: url === scriptUrl ? (await page.loadContent()).script : await page.loadOfflineScript(),
      }
    }
    return pageAnswer(404, '')
  }

  async function compose(): Promise<PageAnswer> {
    const [content, start] = await Promise.all([page.loadContent(), page.start()])
    return pageAnswer(200, composePage(content, page.titleBar, start))
  }

  function pageAnswer(statusCode: number, html: string): PageAnswer {
    return {
      statusCode,
      headers: {
        ...headers,
        'content-security-policy': contentSecurityPolicy(html),
        'content-type': 'text/html; charset=utf-8',
        'referrer-policy': 'no-referrer',
      },
      text: html,
    }
  }

  answerRequests(session, answer)
  session.webRequest.onBeforeRequest(({ url }, decide) => {
    decide({ cancel: ![activationPageUrl, scriptUrl, offlineScriptUrl].includes(url) && !isOwnFile(url) })
  })
  session.setPermissionRequestHandler((_contents, _permission, decide) => decide(false))
  session.setPermissionCheckHandler(() => false)
  session.setDevicePermissionHandler(() => false)
  session.on('will-download', (event, item) => {
    // The request of a computer without internet can be saved as a file. Electron asks where.
    if (!isOwnFile(item.getURL())) event.preventDefault()
  })
  return () => {
    composed = compose()
    // The request reports it.
    composed.catch(() => {})
  }
}

/**
 * Answers the session's requests from memory. A custom scheme would have to be registered before the app is ready, which
 * only one caller may do.
 */
function answerRequests({ protocol }: Session, answer: (url: string) => Promise<PageAnswer>): void {
  // `handle` loads Node's fetch with its streams, which takes longer than everything else before the first text. Its
  // predecessor is deprecated, so an Electron may come without it.
  const isIntercepted = protocol.interceptBufferProtocol?.('https', ({ url }, respond) => {
    answer(url).then(
      ({ text, ...head }) => respond({ ...head, data: Buffer.from(text) }),
      () => respond({ error: failedError }),
    )
  })
  if (isIntercepted === true) return
  protocol.handle('https', async ({ url }) => {
    const { statusCode, headers, text } = await answer(url)
    return new Response(text, { status: statusCode, headers })
  })
}

/** Whether an address is that of a file that the page itself made. */
function isOwnFile(url: string): boolean {
  return url.startsWith(`blob:${activationPageUrl}`)
}

/** Builds the page with its initial data, and its initial render as the content of the element. */
export function composePage(
  { html, initialRender }: Pick<ActivationPageContent, 'html' | 'initialRender'>,
  titleBar: TitleBar,
  start: PageStart,
): string {
  const picture = initialRender(start, Date.now())
  // Escaped, so that no title or text can open or close an element.
  const json = JSON.stringify(start).replaceAll('<', '\\u003c')
  const title = start.screen.title.replace(/[&<]/gu, (character) => `&#${character.charCodeAt(0)};`)
  return html
    .replace('lang="en"', () => `lang="${start.locale}"`)
    .replace(/(?<=data-title-bar=")native(?=")/u, titleBar)
    .replace(/(?<=class="title"[^>]*>)(?=<\/p>)/u, () => title)
    .replace(/(?<=<title>).*?(?=<\/title>)/u, () => title)
    .replace(`id="${pageStartId}">`, (place) => place + json)
    .replace(/<template>(.*?)<\/template>/su, (_, styles: string) =>
      picture === null ? '' : `<template shadowrootmode="open">${styles}${picture}</template>`,
    )
}

/** Allows only the page's own scripts and styles, and images in data: URLs. */
export function contentSecurityPolicy(html: string): string {
  const digests = (element: 'script' | 'style'): readonly string[] => {
    const found = html.matchAll(new RegExp(`<${element}>(.*?)</${element}>`, 'gsu'))
    return Array.from(found, ([, text = '']) => {
      return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
    })
  }
  const styles = digests('style')
  return [
    "default-src 'none'",
    ['script-src', scriptUrl, offlineScriptUrl, ...digests('script')].join(' '),
    `style-src ${styles.length === 0 ? "'none'" : styles.join(' ')}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
}
