import path from 'node:path'
import { pageOrigin, parseUrl } from '../origin.ts'

/** Who sent a message, read the moment it arrived. */
export interface SenderFacts {
  /** Address of the sending frame; `null` when the frame is gone. */
  readonly url: string | null
  /** Whether the frame is the top one of its window. */
  readonly isMainFrame: boolean
  /** Whether it sits in a `<webview>` of another page. */
  readonly isWebview: boolean
  /** Whether the window is the activation window Latchkey opened itself. */
  readonly isActivationWindow: boolean
}

/** Whose messages are heard. */
export interface TrustRules {
  /** Folder or archive of the app. */
  readonly appPath: string
  /** Origins as `originOf` gives them. */
  readonly origins: readonly string[]
  /** The one page the activation window shows. */
  readonly activationPageUrl: string
  readonly platform: NodeJS.Platform
  /** The path with every link resolved, in the spelling of the disk; throws when there is nothing. */
  readonly realPath: (path: string) => string
}

/** Whether a message may be heard: from the top frame of the app's own page, and of no other. */
export function isTrustedSender(sender: SenderFacts, rules: TrustRules): boolean {
  if (sender.url === null || !sender.isMainFrame || sender.isWebview) return false
  if (sender.isActivationWindow) return sender.url === rules.activationPageUrl
  const url = parseUrl(sender.url)
  if (url === null) return false
  if (url.protocol === 'file:') return isOwnFile(url, rules)
  const origin = pageOrigin(url)
  return origin !== null && rules.origins.includes(origin)
}

function isOwnFile(url: URL, { appPath, platform, realPath }: TrustRules): boolean {
  const { relative, isAbsolute, sep } = platform === 'win32' ? path.win32 : path.posix
  const file = filePathOf(url, appPath, platform)
  if (file === null) return false
  try {
    const fromApp = relative(realPath(appPath), realPath(file))
    return fromApp !== '' && fromApp !== '..' && !fromApp.startsWith(`..${sep}`) && !isAbsolute(fromApp)
  } catch {
    return false
  }
}

/** The path a `file:` address means, as the platform writes it; `null` when it cannot be one of the app. */
function filePathOf(url: URL, appPath: string, platform: NodeJS.Platform): string | null {
  // An encoded separator or zero is read one way here and another way by the disk.
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
  // Looking at another computer's share tells it who asks: only the one the app itself was started from.
  const share = `\\\\${url.hostname}\\`
  return appPath.toLowerCase().startsWith(share.toLowerCase()) ? `\\\\${url.hostname}${windowsPath}` : null
}
