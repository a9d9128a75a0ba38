import { createHash } from 'node:crypto'
import type { Session } from 'electron'
import { activationPageUrl, type PageStart, pageStartId } from '../../shared/page-start.ts'

export { activationPageUrl } from '../../shared/page-start.ts'

const scriptUrl = `${activationPageUrl}activation-page.js`

/** Who draws the title bar: the system, around the page, or the page itself, with the buttons of macOS or Windows. */
export type TitleBar = 'native' | 'mac' | 'windows'

/** What the activation window's session serves. */
export interface ActivationPage {
  readonly html: string
  /** Where the window's title is: in the page, beside the buttons of the system, or in a frame around it. */
  readonly titleBar: TitleBar
  /** A classic script; the page names it `./activation-page.js`. */
  readonly script: string
  /** What the page is to begin with, asked for every time it is loaded. */
  readonly start: () => PageStart
  /** Draws what the page shows before its script has run; `null` when it shows nothing. */
  readonly initialRender: (start: PageStart, nowMs: number) => string | null
}

/** Lets a session show the activation page, and nothing else from anywhere. */
export function serveActivationPage(session: Session, page: ActivationPage): void {
  const headers = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
  const answer = (url: string): Response => {
    if (url === scriptUrl) {
      return new Response(page.script, {
        headers: { ...headers, 'content-type': 'text/javascript; charset=utf-8' },
      })
    }
    const html = url === activationPageUrl ? composePage(page) : null
    return new Response(html, {
      status: html === null ? 404 : 200,
      headers: {
        ...headers,
        'content-security-policy': contentSecurityPolicy(html ?? ''),
        'content-type': 'text/html; charset=utf-8',
        'referrer-policy': 'no-referrer',
      },
    })
  }

  // A scheme of our own would have to be registered before the app is ready, and only one caller may do that.
  session.protocol.handle('https', (request) => answer(request.url))
  session.webRequest.onBeforeRequest(({ url }, decide) => {
    decide({ cancel: url !== activationPageUrl && url !== scriptUrl })
  })
  session.setPermissionRequestHandler((_contents, _permission, decide) => decide(false))
  session.setPermissionCheckHandler(() => false)
  session.setDevicePermissionHandler(() => false)
  session.on('will-download', (event) => event.preventDefault())
}

/** The page with its start as data, and its first picture as the content of the element. */
export function composePage({ html, titleBar, start, initialRender }: ActivationPage): string {
  const now = start()
  const picture = initialRender(now, Date.now())
  // Whatever a title or a text holds, it ends no element and begins none.
  const json = JSON.stringify(now).replaceAll('<', '\\u003c')
  const title = now.screen.title.replace(/[&<]/gu, (character) => `&#${character.charCodeAt(0)};`)
  return html
    .replace('lang="en"', () => `lang="${now.locale}"`)
    .replace(/(?<=data-title-bar=")native(?=")/u, titleBar)
    .replace(/(?<=class="title"[^>]*>)(?=<\/p>)/u, () => title)
    .replace(/(?<=<title>).*?(?=<\/title>)/u, () => title)
    .replace(`id="${pageStartId}">`, (place) => place + json)
    .replace(/<template>(.*?)<\/template>/su, (_, styles: string) =>
      picture === null ? '' : `<template shadowrootmode="open">${styles}${picture}</template>`,
    )
}

/** Nothing but the page's own scripts, its own styles, and images it was handed as data. */
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
    ['script-src', scriptUrl, ...digests('script')].join(' '),
    `style-src ${styles.length === 0 ? "'none'" : styles.join(' ')}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
}
