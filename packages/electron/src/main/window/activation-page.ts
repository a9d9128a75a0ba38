import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Session } from 'electron'
import { activationPageUrl, type PageStart, pageStartId } from '../../shared/activation-screen.ts'

export { activationPageUrl } from '../../shared/activation-screen.ts'

/** Chromium's `net::ERR_FAILED`. */
const failedError = -2

/** Who draws the title bar: the system, or the page, with the buttons of macOS or Windows. */
export type TitleBar = 'native' | 'mac' | 'windows'

/** What the activation page consists of, as the build embeds it. */
export interface ActivationPageContent {
  /** What runs in the page. */
  readonly script: string
  /** The styles of the page. */
  readonly styles: string
}

/** What the session of the activation window serves. */
export interface ActivationPage extends ActivationPageContent {
  /** Where the window's title is shown: in the page next to the system's buttons, or in the window frame. */
  readonly titleBar: TitleBar
  /** Returns the page's initial data. Called every time it is loaded. */
  readonly start: () => Promise<PageStart>
}

/** Makes a session serve the activation page, and block everything else. */
export function serveActivationPage(session: Session, page: ActivationPage): void {
  const policy = contentSecurityPolicy(page)

  const answerWith = (text: string, statusCode = 200) => ({
    statusCode,
    headers: {
      'cache-control': 'no-store',
      'content-security-policy': policy,
      'content-type': 'text/html; charset=utf-8',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    },
    text,
  })

  async function answer(url: string): Promise<ReturnType<typeof answerWith>> {
    if (url === activationPageUrl) return answerWith(composePage(page, page.titleBar, await page.start()))
    return answerWith('', 404)
  }

  // A custom scheme would have to be registered before the app is ready, which only one caller may do. So the session's
  // requests are answered from memory. `handle` loads Node's fetch with its streams, which takes longer than everything else
  // before the first text. Its predecessor is deprecated, so an Electron may come without it.
  const isIntercepted = session.protocol.interceptBufferProtocol?.('https', ({ url }, respond) => {
    answer(url).then(
      ({ text, ...head }) => respond({ ...head, data: Buffer.from(text) }),
      () => respond({ error: failedError }),
    )
  })
  if (isIntercepted !== true) {
    session.protocol.handle('https', async ({ url }) => {
      const { statusCode, headers, text } = await answer(url)
      return new Response(text, { status: statusCode, headers })
    })
  }
  session.webRequest.onBeforeRequest(({ url }, decide) => {
    decide({ cancel: url !== activationPageUrl && !isOwnFile(url) })
  })
  session.setPermissionRequestHandler((_contents, _permission, decide) => decide(false))
  session.setPermissionCheckHandler(() => false)
  session.setDevicePermissionHandler(() => false)
  session.on('will-download', (event, item) => {
    // The request of a computer without internet can be saved as a file. Electron asks where.
    if (!isOwnFile(item.getURL())) event.preventDefault()
  })
}

/** Whether an address is that of a file that the page itself made. */
function isOwnFile(url: string): boolean {
  return url.startsWith(`blob:${activationPageUrl}`)
}

/** Builds the page with its initial data. */
export function composePage(
  { script, styles }: Pick<ActivationPageContent, 'script' | 'styles'>,
  titleBar: TitleBar,
  start: PageStart,
): string {
  const title = start.screen.title.replace(/[&<]/gu, (character) => `&#${character.charCodeAt(0)};`)
  // Escaped, so that no title or text can open or close an element.
  const json = JSON.stringify(start).replaceAll('<', '\\u003c')
  return `<!doctype html>
<html lang="${start.texts.locale}" data-title-bar="${titleBar}">
  <head>
    <meta charset="utf-8" />
    <meta name="color-scheme" content="light dark" />
    <meta name="viewport" content="width=device-width" />
    <title>${title}</title>
    <style>${styles}</style>
  </head>
  <body>
    <p class="title" aria-hidden="true">${title}</p>
    <main>
      <latchkey-activation></latchkey-activation>
    </main>
    <script type="application/json" id="${pageStartId}">${json}</script>
    <script>${script}</script>
  </body>
</html>
`
}

/** Allows only the page's own script and styles, and images in data: URLs. */
export function contentSecurityPolicy({
  script,
  styles,
}: Pick<ActivationPageContent, 'script' | 'styles'>): string {
  const digest = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
  return [
    "default-src 'none'",
    `script-src ${digest(script)}`,
    `style-src ${digest(styles)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
}

/** Where to write the preload script. */
export interface PreloadFileOptions {
  /** The bundled script. */
  readonly script: string
  readonly directory: string
  /** Folder for temporary files, used if `directory` isn't writable. */
  readonly temporaryDirectory: string
}

/**
 * Writes the bundled preload script to a file, because Electron only takes a path. It is written anew for every window, so
 * that nobody can have changed it.
 *
 * @returns the file's path.
 * @throws if none of the folders is writable.
 */
export function writePreloadFile({ script, directory, temporaryDirectory }: PreloadFileOptions): string {
  const name = `preload-${createHash('sha256').update(script).digest('hex').slice(0, 16)}.cjs`
  try {
    return writeCopy(script, directory, name)
  } catch {
    // A user with a read-only app folder must still be able to see the activation window. Other users can write to the
    // folder for temporary files, so this one is new and private.
    return writeCopy(script, mkdtempSync(path.join(temporaryDirectory, 'latchkey-')), name)
  }
}

function writeCopy(script: string, directory: string, name: string): string {
  const file = path.join(directory, name)
  const temporary = path.join(directory, `preload-${randomUUID()}.tmp`)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  try {
    writeFileSync(temporary, script, { mode: 0o600, flag: 'wx' })
    renameSync(temporary, file)
  } finally {
    rmSync(temporary, { force: true })
  }
  return file
}
