import { createServer, type IncomingMessage } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

/** The service's response time in milliseconds; `null`: it accepts the request and never answers. */
export type AnswerDelay = number | null

/** The services of the peers on localhost, as far as a launch needs them. */
export interface PeerService {
  readonly url: string
  /** The number of requests received. */
  requests(): number
  setDelay(delayMs: AnswerDelay): void
  close(): Promise<void>
}

const farAway = '2999-01-01T00:00:00Z'
const user = { id: '6f1c1a3e-0000-4000-8000-000000000001', email: 'reader@example.com', aud: 'authenticated' }
/** Supabase reads the expiry from the token. */
const accessToken = ['{"alg":"none"}', '{"sub":"reader","exp":32472144000}', 'none']
  .map((part) => Buffer.from(part).toString('base64url'))
  .join('.')

/** Starts the service. Every license is valid. */
export async function startPeerService(): Promise<PeerService> {
  let delayMs: AnswerDelay = 0
  let count = 0
  const server = createServer((request, response) => {
    count += 1
    request.resume()
    const answer = answerTo(request)
    const respond = () => response.writeHead(answer.status, answer.headers).end(answer.body)
    if (delayMs === 0) respond()
    else if (delayMs !== null) void pause(delayMs, undefined, { ref: false }).then(respond)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The service has no port.')
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests: () => count,
    setDelay(next) {
      delayMs = next
    },
    async close() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

function answerTo({ method, url = '' }: IncomingMessage) {
  const json = (body: unknown, status = 200) => ({
    status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  // Anystack
  if (url.endsWith('/validate-key')) return json({ meta: { valid: true, status: 'ACTIVE' } })
  // Supabase, for electron-license-kit
  if (url.startsWith('/auth/v1/token')) {
    const session = { access_token: accessToken, refresh_token: 'refresh', token_type: 'bearer' }
    return json({ ...session, expires_in: 3600, user })
  }
  if (url.startsWith('/rest/v1/licenses') && method === 'GET') {
    const license = { id: '1', license_key: 'IK-AAAA-BBBB-CCCC', tier: 'pro', status: 'active', hwid: null }
    return json({ ...license, user_id: user.id, expires_at: farAway })
  }
  if (url.startsWith('/rest/v1/licenses')) return { status: 204, headers: {}, body: '' }
  return json({ message: `No such route: ${method} ${url}` }, 404)
}
