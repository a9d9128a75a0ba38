import autocannon from 'autocannon'

/** How many licenses take part. */
export const licenseCount: number = 100_000

const keyId = '99999999-2222-4333-8444-555555555555'
const keyBody = JSON.stringify({ key: keyId })

/** The five license requests of an app. */
const verbs = [
  { method: 'GET', path: 'keys', body: undefined },
  { method: 'POST', path: 'activate', body: JSON.stringify({ name: 'Ada’s laptop [0123456789abcdef]' }) },
  { method: 'GET', path: `keys/${keyId}`, body: undefined },
  { method: 'POST', path: 'validate', body: keyBody },
  { method: 'DELETE', path: 'deactivate', body: keyBody },
] as const

/** The n-th request: every license is asked about before any is again, each time for something else. */
function requestAt(n: number): { licenseId: string; verb: (typeof verbs)[number] } {
  const license = n % licenseCount
  const verb = verbs[(n + Math.floor(n / licenseCount)) % verbs.length] ?? verbs[0]
  return { licenseId: `11111111-2222-4333-8444-${String(license).padStart(12, '0')}`, verb }
}

/** Sends so many requests over 100 connections. @throws when one was not answered with 200. */
export async function sendFiveVerbs(
  origin: string,
  { from, amount, headers }: { from: number; amount: number; headers: Record<string, string> },
): Promise<void> {
  let next = from
  const result = await autocannon({
    url: origin,
    connections: 100,
    // How long a request takes is measured elsewhere; a busy machine may be slow here.
    timeout: 120,
    amount,
    requests: [
      {
        setupRequest(request) {
          const { licenseId, verb } = requestAt(next)
          next += 1
          return {
            ...request,
            method: verb.method,
            path: `/v1/licenses/${licenseId}/${verb.path}`,
            headers: { 'content-type': 'application/json', ...headers },
            ...(verb.body !== undefined && { body: verb.body }),
          }
        },
      },
    ],
  })
  const { non2xx, errors, timeouts, requests } = result
  if (non2xx + errors > 0) {
    throw new Error(
      `Of ${requests.total} requests ${non2xx} were refused and ${errors} failed, ${timeouts} of them by time.`,
    )
  }
}
