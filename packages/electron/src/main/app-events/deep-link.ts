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
/** With room for the longest answer that is accepted. Windows passes on about 2,000 characters. */
const longestAnswerLink = 10_000

/**
 * Extracts the license key from `<scheme>://activate?license=<license key>`, which must match exactly.
 *
 * @param readKey returns the normalized license key of a text; `null` if it isn't one.
 * @returns `null` for any other link, so a link can only fill in a key.
 */
export function readDeepLink(text: string, scheme: string, readKey: ReadKey = readUuid): string | null {
  const value = text.length > longestLink ? null : readParameter(text, scheme, 'activate', 'license')
  return value === null ? null : readKey(value)
}

/**
 * Extracts the answer from `<scheme>://offline-answer?answer=<text>`.
 *
 * @returns `null` for any other link. Whether the answer can be used is decided when the user activates with it.
 */
export function readAnswerLink(text: string, scheme: string): string | null {
  const value =
    text.length > longestAnswerLink ? null : readParameter(text, scheme, 'offline-answer', 'answer')
  return value !== null && /^latchkey-answer-\d+\.[\w.-]+$/u.test(value) ? value : null
}

/** Returns the only parameter of a link without anything else; `null` for another link. */
function readParameter(text: string, scheme: string, host: string, parameter: string): string | null {
  // Most arguments of an app aren't addresses at all, and each that can't be parsed costs an exception.
  const url = text.includes(':') ? parseUrl(text) : null
  if (url === null) return null
  const isOurs =
    url.protocol === `${scheme}:` &&
    url.host === host &&
    (url.pathname === '' || url.pathname === '/') &&
    url.username === '' &&
    url.password === '' &&
    url.hash === ''
  const [[name, value] = ['', ''], ...others] = [...url.searchParams]
  return isOurs && name === parameter && others.length === 0 ? value : null
}

/** Returns the normalized license key of a text; `null` if it isn't one. */
export type ReadKey = (text: string) => string | null

function readUuid(text: string): string | null {
  return isUuid(text) ? text.toLowerCase() : null
}

/** Which links an app takes. */
export interface DeepLinkOptions {
  readonly scheme: string
  /** @default the license key is a UUID */
  readonly readKey?: ReadKey | undefined
  /** Whether this app activates without internet. */
  readonly takesAnswers: boolean
}

/**
 * Calls back with the license key or the answer of every link that reaches the app: through macOS's `open-url`, a second
 * start of the app, or the arguments it was started with.
 *
 * @returns a function that stops listening.
 */
export function listenForDeepLinks(
  source: DeepLinkSource,
  { scheme, readKey, takesAnswers }: DeepLinkOptions,
  onText: (text: string) => void,
): () => void {
  const read = (word: string): string | null =>
    readDeepLink(word, scheme, readKey) ?? (takesAnswers ? readAnswerLink(word, scheme) : null)
  const hear = (words: readonly string[], claim?: () => void): void => {
    const text = words.map(read).find((found) => found !== null) ?? null
    if (text === null) return
    // The app handles other links of the scheme itself.
    claim?.()
    onText(text)
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
