import type { ClockPort } from '../core/ports/clock-port.ts'
import type { Logger } from '../core/ports/logger-port.ts'
import { parseUrl } from './origin.ts'

const quietMs = 60_000

/** Tells the developer of refused messages, at most once a minute: a hostile page must not fill the log. */
export function createRefusalLog(
  logger: Logger,
  clock: ClockPort,
): (channel: string, url: string | null, why: string) => void {
  let quietUntilMs = Number.NEGATIVE_INFINITY
  let untold = 0

  return (channel, url, why) => {
    if (clock.monotonic() < quietUntilMs) {
      untold += 1
      return
    }
    quietUntilMs = clock.monotonic() + quietMs
    const before = untold === 0 ? '' : ` (${untold} more were refused since the last warning)`
    untold = 0
    logger.warn(
      `Refused ${channel} from ${describeSender(url)}: ${why}. If this page is your own, add its origin to trustedOrigins${before}`,
    )
  }
}

/** Enough of an address to find the page by; queries and the content of data: pages stay out of the log. */
function describeSender(url: string | null): string {
  if (url === null) return 'a frame that is gone'
  const parsed = parseUrl(url)
  if (parsed === null) return 'a page without an address'
  const isPlain = ['http:', 'https:', 'file:'].includes(parsed.protocol)
  return isPlain
    ? `${parsed.protocol}//${parsed.host}${parsed.pathname}`.slice(0, 200)
    : `a ${parsed.protocol} page`
}
