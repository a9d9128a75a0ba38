import { type LeaseKeys, verifyLease } from '@latchkey/gateway'

/** Where the files of the feed are, and whose leases open it. */
export interface FeedOptions {
  /** Address of the files, ending with a slash. Only this server may be able to read it. */
  readonly origin: string
  /** The app's `leaseKeys`. Give each app a signing key of its own, so that a lease opens one feed only. */
  readonly leaseKeys: LeaseKeys
}

/** Serves an update feed to devices with a license, with range requests, on any runtime that knows `Request`. */
export function createFeed({ origin, leaseKeys }: FeedOptions): (request: Request) => Promise<Response> {
  return async (request) => {
    const lease = request.headers.get('authorization')?.replace(/^Bearer /u, '') ?? ''
    const verdict = await verifyLease(lease, { leaseKeys, nowMs: Date.now() })
    if (!verdict.trusted || !mayUpdate(verdict.claims)) {
      return new Response('Updates need a license.', { status: 403 })
    }
    const { pathname } = new URL(request.url)
    const headers = new Headers({ 'accept-encoding': 'identity' })
    for (const name of ['range', 'if-range']) {
      const value = request.headers.get(name)
      if (value !== null) headers.set(name, value)
    }
    const method = request.method === 'HEAD' ? 'HEAD' : 'GET'
    return fetch(new URL(`.${pathname}`, origin), { method, headers })
  }
}

/** With `expiry: 'updates'`, a license that has ended still gets the releases that it covers: the app chooses them. */
function mayUpdate({
  ent,
  sus,
  lex,
  iat,
}: {
  ent: boolean
  sus: string | null
  lex: string | null
  iat: number
}): boolean {
  const hasEnded = sus === null && lex !== null && Date.parse(lex) <= (iat + 1) * 1000
  return ent || hasEnded
}
