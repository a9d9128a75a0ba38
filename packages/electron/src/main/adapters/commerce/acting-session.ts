import { randomUUID } from 'node:crypto'
import { type Session, session } from 'electron'
import { withinTime } from '../within-time.ts'

/** A proxy script that cannot be loaded must not hold up a request for ever. */
const longestPreparationMs = 5_000

let own: Session | null = null
let last: Promise<unknown> = Promise.resolve()

/**
 * Sends a request that changes something on a connection that carried nothing before.
 *
 * Chromium repeats any request, POST included, by itself when a reused connection ends before the answer: one
 * activation could take two seats. So these requests have a session of their own, whose connections are closed before
 * each of them. The default session is not an option: closing its connections would cut off the app's own requests.
 *
 * @param send called when it is this request's turn; the next one waits until it has settled.
 */
export function sendOnFreshConnection<Outcome>(
  url: string,
  send: (actingSession: Session) => Promise<Outcome>,
): Promise<Outcome> {
  const turn = last.then(async () => {
    // Without `persist:` it lives in memory.
    own ??= session.fromPartition(`latchkey-requests-${randomUUID()}`, { cache: false })
    const prepared = own
    await withinTime(prepare(prepared, url), longestPreparationMs).catch(() => {})
    return send(prepared)
  })
  last = turn.catch(() => {})
  return turn
}

async function prepare(actingSession: Session, url: string): Promise<void> {
  await actingSession.closeAllConnections()
  // An app may have set a proxy for its default session, and then that is the way to the service.
  const [wanted, current] = await Promise.all([
    session.defaultSession.resolveProxy(url),
    actingSession.resolveProxy(url),
  ])
  // The session is ours alone, so nothing has to stay outside the proxy.
  if (wanted !== current) {
    await actingSession.setProxy({ proxyRules: proxyRulesOf(wanted), proxyBypassRules: '<-loopback>' })
  }
}

/** Turns an answer of `resolveProxy`, such as `PROXY one:8080; DIRECT`, into rules for `setProxy`. */
export function proxyRulesOf(resolved: string): string {
  return resolved
    .split(';')
    .map((part) => {
      const [kind = '', address = ''] = part.trim().split(/\s+/u)
      const scheme = proxySchemes[kind.toUpperCase()]
      return scheme === undefined || address === '' ? 'direct://' : `${scheme}://${address}`
    })
    .join(',')
}

const proxySchemes: Readonly<Record<string, string>> = {
  PROXY: 'http',
  HTTP: 'http',
  HTTPS: 'https',
  SOCKS: 'socks4',
  SOCKS4: 'socks4',
  SOCKS5: 'socks5',
  QUIC: 'quic',
}
