import type { LicenseService } from '@latchkey/services'
import { app } from 'electron'
import { unicodeClass } from '../../shared/license-key-text.ts'
import { parseUrl } from '../ipc/trusted-sender.ts'

/** A link that Latchkey handles. */
export interface DeepLink {
  readonly name: 'activate' | 'offline-answer'
  /** The parameter that it needs. */
  readonly parameter: 'license' | 'answer'
  /** The license key or the answer to fill in; `null` if that parameter is missing or unusable. */
  readonly text: string | null
}

/** With room for the longest answer that is accepted. Windows passes on about 2,000 characters. */
const longestLink = 10_000

/** Which links an app takes. */
export interface DeepLinkOptions {
  readonly scheme: string
  readonly findLicenseKey: LicenseService['findLicenseKey']
  /** Whether this app activates without internet. */
  readonly takesAnswers: boolean
}

/**
 * Reads `<scheme>://activate?license=<license key>` and `<scheme>://offline-answer?answer=<text>`. Mail programs add
 * parameters of their own, so others are ignored.
 *
 * @returns `null` for any other link, which the app handles itself. A link can only fill in a text: whether it can be
 * used is decided when the user clicks.
 */
export function readDeepLink(link: string, options: DeepLinkOptions): DeepLink | null {
  const { scheme, findLicenseKey, takesAnswers } = options
  // Most arguments of an app aren't addresses at all, and each that can't be parsed costs an exception.
  const url = link.includes(':') && link.length <= longestLink ? parseUrl(link) : null
  if (url === null || url.protocol !== `${scheme}:` || url.username !== '' || url.password !== '') return null
  const name = `${url.host}${url.pathname}`.replace(/^\/+|\/$/gu, '').toLowerCase()
  if (name === 'activate') return read(url, name, 'license', (text) => exactKey(text.trim()))
  return name === 'offline-answer' && takesAnswers ? read(url, name, 'answer', readAnswer) : null

  /** Returns the license key if the text is exactly one; otherwise `null`. */
  function exactKey(text: string): string | null {
    const found = findLicenseKey(text)
    return found.ok && found.licenseKey.toLowerCase() === text.toLowerCase() ? found.licenseKey : null
  }
}

function read(
  { searchParams }: URL,
  name: DeepLink['name'],
  parameter: DeepLink['parameter'],
  readText: (text: string) => string | null,
): DeepLink {
  const [text, another] = searchParams.getAll(parameter)
  return { name, parameter, text: text === undefined || another !== undefined ? null : readText(text) }
}

function readAnswer(text: string): string | null {
  // Zero-width characters, white space and the quote marks of mail programs, as in a pasted answer.
  const dense = text.replace(new RegExp(`[${unicodeClass('DI')}\\s>|]`, 'gu'), '')
  return /^latchkey-answer-\d+\.[\w.-]+$/u.test(dense) ? dense : null
}

/**
 * Calls back with every link to Latchkey that reaches the app: through macOS's `open-url`, a second start of the app, or
 * the arguments it was started with.
 *
 * @param app Electron's `app`.
 * @returns a function that stops listening.
 */
export function listenForDeepLinks(
  app: NodeJS.EventEmitter,
  startedWith: readonly string[],
  options: DeepLinkOptions,
  onLink: (link: DeepLink) => void,
): () => void {
  const hear = (words: readonly string[], event?: { preventDefault(): void }): void => {
    const links = words.flatMap((word) => readDeepLink(word, options) ?? [])
    const link = links.find(({ text }) => text !== null) ?? links[0]
    if (link === undefined) return
    // The app handles other links of the scheme itself.
    event?.preventDefault()
    onLink(link)
  }
  const onOpenUrl = (event: { preventDefault(): void }, url: string): void => hear([url], event)
  const onSecondInstance = (_event: unknown, words: readonly string[]): void => hear(words)
  app.on('open-url', onOpenUrl)
  app.on('second-instance', onSecondInstance)
  hear(startedWith)
  return () => {
    app.off('open-url', onOpenUrl)
    app.off('second-instance', onSecondInstance)
  }
}

/** Calls back when the dock icon is clicked or the app is started a second time. */
export function onSummoned(listener: () => void): () => void {
  const onActivate = (): void => listener()
  app.on('activate', onActivate)
  app.on('second-instance', onActivate)
  return () => {
    app.off('activate', onActivate)
    app.off('second-instance', onActivate)
  }
}
