import { randomUUID } from 'node:crypto'
import { type Session, session } from 'electron'
import { withinTime } from '../within-time.ts'

/** Limit in milliseconds, so that a proxy script that can't be loaded doesn't block a request forever. */
const longestPreparationMs = 5_000

let own: Session | null = null
let last: Promise<unknown> = Promise.resolve()

/**
 * Sends a request that changes something on a fresh connection.
 *
 * If a reused connection ends before the answer, Chromium repeats the request on its own, even a POST, so one
 * activation could take two seats. These requests therefore have a session of their own, whose connections are closed
 * before each of them. The default session can't be used, because closing its connections would abort the app's own
 * requests.
 *
 * @param send called when it is this request's turn. The next request waits until it has settled.
 */
export function sendOnFreshConnection<Outcome>(
  url: string,
  send: (actingSession: Session) => Promise<Outcome>,
): Promise<Outcome> {
  const turn = last.then(async () => {
    // Without `persist:` the session is in memory only.
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
  // If the app has set a proxy for its default session, use the same one.
  const [wanted, current] = await Promise.all([
    session.defaultSession.resolveProxy(url),
    actingSession.resolveProxy(url),
  ])
  // Only Latchkey uses this session, so no host needs to bypass the proxy.
  if (wanted !== current) {
    await actingSession.setProxy({ proxyRules: proxyRulesOf(wanted), proxyBypassRules: '<-loopback>' })
  }
}

/** Converts a result of `resolveProxy`, such as `PROXY one:8080; DIRECT`, to rules for `setProxy`. */
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
