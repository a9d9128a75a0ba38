import { realpathSync } from 'node:fs'
import { posix, win32 } from 'node:path'
import { isExposed } from '@latchkey/commerce/options'
import { app } from 'electron'
import { activationPageUrl } from '../../shared/activation-screen.ts'

/** The sender of a message, read when the message arrived. */
export interface SenderFacts {
  /** Address of the sending frame; `null` if the frame no longer exists. */
  readonly url: string | null
  /** Whether the frame is the main frame of its window. */
  readonly isMainFrame: boolean
  /** Whether the frame is in a `<webview>` of another page. */
  readonly isWebview: boolean
  /** Whether the window is Latchkey's own activation window. */
  readonly isActivationWindow: boolean
}

/** The rules for trusted senders. */
export interface TrustRules {
  /** Folder or archive of the app. */
  readonly appPath: string
  /** Origins as returned by `originOf`. */
  readonly origins: readonly string[]
  readonly platform: NodeJS.Platform
  /** Resolves all links in a path and returns its spelling on disk; throws if the path doesn't exist. */
  readonly realPath: (path: string) => string
}

/** Whether a message is trusted: only if it comes from the main frame of the app's own page. */
export function isTrustedSender(sender: SenderFacts, rules: TrustRules): boolean {
  if (sender.url === null || !sender.isMainFrame || sender.isWebview) return false
  if (sender.isActivationWindow) return sender.url === activationPageUrl
  const url = parseUrl(sender.url)
  if (url === null) return false
  if (url.protocol === 'file:') return isOwnFile(url, rules)
  const origin = pageOrigin(url)
  return origin !== null && rules.origins.includes(origin)
}

function isOwnFile(url: URL, { appPath, platform, realPath }: TrustRules): boolean {
  const { relative, isAbsolute, sep } = platform === 'win32' ? win32 : posix
  const file = filePathOf(url, appPath, platform)
  if (file === null) return false
  try {
    const fromApp = relative(realPath(appPath), realPath(file))
    return fromApp !== '' && fromApp !== '..' && !fromApp.startsWith(`..${sep}`) && !isAbsolute(fromApp)
  } catch {
    return false
  }
}

/** Converts a `file:` address to a platform path; `null` if it can't be in the app. */
function filePathOf(url: URL, appPath: string, platform: NodeJS.Platform): string | null {
  // The parser and the file system read an encoded separator or null character differently.
  if (/%(?:2f|5c|00)/iu.test(url.pathname)) return null
  let pathname: string
  try {
    pathname = decodeURIComponent(url.pathname)
  } catch {
    return null
  }
  if (platform !== 'win32') return url.hostname === '' ? pathname : null

  const windowsPath = pathname.replaceAll('/', '\\')
  if (url.hostname === '') return /^\\[a-z]:\\/iu.test(windowsPath) ? windowsPath.slice(1) : null
  // Accessing another computer's share reveals the user to it, so only allow the share the app was started from.
  const share = `\\\\${url.hostname}\\`
  return appPath.toLowerCase().startsWith(share.toLowerCase()) ? `\\\\${url.hostname}${windowsPath}` : null
}

/** Trusts messages from the app's own files, from the given origins, and, unless packaged, from the dev server. */
export function createSenderTrust(trustedOrigins: readonly string[]): (sender: SenderFacts) => boolean {
  const devServer = app.isPackaged ? null : devServerOrigin(process.env['ELECTRON_RENDERER_URL'])
  const origins = devServer === null ? trustedOrigins : [...trustedOrigins, devServer]

  return (sender) =>
    isTrustedSender(sender, {
      appPath: app.getAppPath(),
      origins,
      platform: process.platform,
      realPath: (path) => realpathSync.native(path),
    })
}

/** Schemes that are never trusted, even if the developer lists them. */
const refusedSchemes =
  /^(?:about|blob|chrome|chrome-extension|data|devtools|file|filesystem|ftp|javascript|view-source|wss?):$/u

/**
 * Returns the origin in a text, as `scheme://host[:port]`; `null` if it has none that may be trusted. Also works for an
 * app's own scheme, for which `URL.origin` returns "null".
 */
export function originOf(text: string): string | null {
  const url = parseUrl(text)
  // Anyone on the network path could replace a page over plain http. A wildcard isn't supported: it would only match a host with that literal name.
  if (url === null || url.host.includes('*') || hasMore(url) || isExposed(url.href)) return null
  return urlOrigin(url)
}

/** Returns the origin of a page's address by the same rules. Path and query can be anything. */
export function pageOrigin(url: URL): string | null {
  return url.username === '' && url.password === '' ? urlOrigin(url) : null
}

/** Returns the origin of a dev server from an environment variable; `null` if there is none. */
export function devServerOrigin(address: string | undefined): string | null {
  const url = address === undefined ? null : parseUrl(address)
  return url !== null && ['http:', 'https:'].includes(url.protocol) ? pageOrigin(url) : null
}

/** Parses an address; `null` if it is invalid. */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text)
  } catch {
    return null
  }
}

function urlOrigin({ protocol, host }: URL): string | null {
  return refusedSchemes.test(protocol) || host === '' ? null : `${protocol}//${host.toLowerCase()}`
}

function hasMore(url: URL): boolean {
  const isBare = url.pathname === '' || url.pathname === '/'
  return !isBare || url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== ''
}
