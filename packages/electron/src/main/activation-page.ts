import { createHash } from 'node:crypto'
import type { Session } from 'electron'

/**
 * Where the activation window's page lives. `.invalid` is no domain anybody can own, and the window's session
 * answers for it from memory.
 */
export const activationPageUrl = 'https://activation.latchkey.invalid/'

const scriptUrl = `${activationPageUrl}activation-page.js`

/** The texts of the page. */
export interface ActivationPage {
  readonly html: string
  /** An ES module; the page names it `./activation-page.js`. */
  readonly script: string
}

/** Lets a session show the activation page, and nothing else from anywhere. */
export function serveActivationPage(session: Session, page: ActivationPage): void {
  const headers = {
    'cache-control': 'no-store',
    'content-security-policy': contentSecurityPolicy(page.html),
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  }
  const answer = (url: string): Response => {
    if (url === activationPageUrl) {
      return new Response(page.html, { headers: { ...headers, 'content-type': 'text/html; charset=utf-8' } })
    }
    if (url === scriptUrl) {
      return new Response(page.script, {
        headers: { ...headers, 'content-type': 'text/javascript; charset=utf-8' },
      })
    }
    return new Response(null, { status: 404, headers })
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

/** Nothing but the page's own script, its own styles, and images it was handed as data. */
export function contentSecurityPolicy(html: string): string {
  const styles = Array.from(html.matchAll(/<style[^>]*>(.*?)<\/style>/gsu), ([, style = '']) => {
    return `'sha256-${createHash('sha256').update(style).digest('base64')}'`
  })
  return [
    "default-src 'none'",
    `script-src ${scriptUrl}`,
    `style-src ${styles.length === 0 ? "'none'" : styles.join(' ')}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types lit-html',
  ].join('; ')
}
