import type { Logger } from '../../core/ports.ts'
import { originOf, pageOrigin, parseUrl } from '../origin.ts'

/** Why a message was refused: its sender isn't a trusted page, or its arguments don't match the schema. */
export type Refusal = 'untrusted-sender' | 'malformed-message'

const malformed =
  'the message is malformed. Check the arguments, and build preload, pages and main process with one version of Latchkey.'

/** A hostile page could send messages without end. */
const mostLines = 50

/**
 * Logs refused messages: once per page that isn't trusted, and once per method whose message is malformed.
 *
 * @param appPath returns the folder or archive of the app.
 */
export function createRefusalLog(
  logger: Pick<Logger, 'warn'>,
  appPath: () => string,
): (channel: string, url: string | null, why: Refusal) => void {
  const told = new Set<string>()

  return (channel, url, why) => {
    const sender = describeSender(url)
    const isMalformed = why === 'malformed-message'
    const what = isMalformed ? channel : sender
    if (told.has(what) || told.size >= mostLines) return
    told.add(what)
    const reason = isMalformed
      ? malformed
      : `the sender is not a trusted page.${adviceFor(parseUrl(url ?? ''), appPath)}`
    logger.warn(`Refused ${channel} from ${sender}: ${reason}`)
  }
}

/** How to make such a page trusted if it is the developer's own; empty if that isn't possible. */
function adviceFor(url: URL | null, appPath: () => string): string {
  if (url?.protocol === 'file:') {
    return [
      ` Only files in the app's folder (${appPath()}) are trusted, and only in a window's main frame.`,
      'If this page is your own, start Electron with the project\'s folder ("electron .") instead of a file in it,',
      'or serve the page from a scheme of your own and name that in trustedOrigins.',
    ].join(' ')
  }
  const origin = url && pageOrigin(url)
  if (!origin) return ''
  if (originOf(origin) !== null)
    return ` If this page is your own, add its origin to trustedOrigins: '${origin}'.`
  return ' A page over plain http is only trusted on this computer: serve it over https.'
}

/** Describes an address well enough to find the page. Omits queries and the content of data: URLs. */
function describeSender(url: string | null): string {
  if (url === null) return 'a frame that is gone'
  const parsed = parseUrl(url)
  if (parsed === null) return 'a page without an address'
  const isPlain = ['http:', 'https:', 'file:'].includes(parsed.protocol)
  return isPlain
    ? `${parsed.protocol}//${parsed.host}${parsed.pathname}`.slice(0, 200)
    : `a page of the scheme ${parsed.protocol.slice(0, -1)}`
}
