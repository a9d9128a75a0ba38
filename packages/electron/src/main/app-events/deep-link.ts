import { isUuid } from '../../shared/uuid.ts'
import { parseUrl } from '../origin.ts'

/** How links reach an app. Each function returns one that removes the listener. */
export interface DeepLinkSource {
  /** macOS: a link was opened. `claim` tells the system that the app handles it. */
  onOpenUrl(listener: (url: string, claim: () => void) => void): () => void
  /** Windows and Linux: the app was started again with these arguments. */
  onSecondInstance(listener: (words: readonly string[]) => void): () => void
  /** The arguments this process was started with. */
  readonly startedWith: readonly string[]
}

const longestLink = 256

/**
 * Extracts the license key from `<scheme>://activate?license=<license key>`, which must match exactly.
 *
 * @param readKey returns the normalized license key of a text; `null` if it isn't one.
 * @returns `null` for any other link, so a link can only fill in a key.
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

/** Returns the normalized license key of a text; `null` if it isn't one. */
export type ReadKey = (text: string) => string | null

function readUuid(text: string): string | null {
  return isUuid(text) ? text.toLowerCase() : null
}

/**
 * Calls back with the license key of every link that reaches the app: through macOS's `open-url`, a second start of the
 * app, or the arguments it was started with.
 *
 * @returns a function that stops listening.
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
    // The app handles other links of the scheme itself.
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
