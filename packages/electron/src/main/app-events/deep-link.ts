import { parseUrl } from '../origin.ts'

/** How links reach an app. Each registration gives back what stops it. */
export interface DeepLinkSource {
  /** macOS: a link was opened. `claim` tells the system that it was for us. */
  onOpenUrl(listener: (url: string, claim: () => void) => void): () => void
  /** Windows and Linux: the app was started again, with these words. */
  onSecondInstance(listener: (words: readonly string[]) => void): () => void
  /** The words this process was started with. */
  readonly startedWith: readonly string[]
}

const longestLink = 256
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu

/**
 * Takes the license key out of `<scheme>://activate?license=<license key>`, written exactly so.
 *
 * @param readKey the license key that a text is, in the form to keep; `null` when it is none.
 * @returns `null` for anything else: a link can fill in a key and nothing more.
 */
export function readDeepLink(text: string, scheme: string, readKey: ReadKey = readUuid): string | null {
  const url = text.length > longestLink ? null : parseUrl(text)
  if (url === null) return null
  const isOurs =
    url.protocol === `${scheme}:` &&
    url.host === 'activate' &&
    (url.pathname === '' || url.pathname === '/') &&
    url.username === '' &&
    url.password === '' &&
    url.hash === ''
  const [[name, value] = ['', ''], ...others] = [...url.searchParams]
  return isOurs && name === 'license' && others.length === 0 ? readKey(value) : null
}

/** The license key that a text is, in the form to keep; `null` when it is none. */
export type ReadKey = (text: string) => string | null

function readUuid(text: string): string | null {
  return uuid.test(text) ? text.toLowerCase() : null
}

/**
 * Calls back with the license key of every link that reaches the app: by macOS's `open-url`, by a second start of the
 * app, or by the words it was first started with.
 *
 * @returns stops listening.
 */
export function listenForDeepLinks(
  source: DeepLinkSource,
  scheme: string,
  onLicenseKey: (licenseKey: string) => void,
  readKey?: ReadKey,
): () => void {
  const hear = (words: readonly string[], claim?: () => void): void => {
    const licenseKey =
      words.map((word) => readDeepLink(word, scheme, readKey)).find((key) => key !== null) ?? null
    if (licenseKey === null) return
    // Other links of the scheme are the app's own business.
    claim?.()
    onLicenseKey(licenseKey)
  }
  const stops = [
    source.onOpenUrl((url, claim) => hear([url], claim)),
    source.onSecondInstance((words) => hear(words)),
  ]
  hear(source.startedWith)
  return () => {
    for (const stop of stops) stop()
  }
}
