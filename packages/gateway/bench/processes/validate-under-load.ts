import autocannon from 'autocannon'

/** What a server did under load. */
export interface LoadResult {
  readonly requests: number
  readonly requestsPerSecond: number
  readonly p99Ms: number
}

/** Lets 100 connections validate one key for a while. @throws when an answer was none. */
export async function validateUnderLoad(
  origin: string,
  { seconds, headers = {} }: { readonly seconds: number; readonly headers?: Record<string, string> },
): Promise<LoadResult> {
  const result = await autocannon({
    url: `${origin}/v1/licenses/11111111-2222-4333-8444-555555555555/validate`,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: '{"key":"99999999-2222-4333-8444-555555555555"}',
    connections: 100,
    duration: seconds,
  })
  const failures = result.non2xx + result.errors + result.timeouts
  if (failures > 0) throw new Error(`${failures} of ${result.requests.total} requests failed`)
  return {
    requests: result.requests.total,
    requestsPerSecond: result.requests.total / result.duration,
    p99Ms: result.latency.p99,
  }
}
