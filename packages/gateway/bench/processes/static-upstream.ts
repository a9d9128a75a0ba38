import { createServer } from 'node:http'

// A service that costs next to nothing: every validation gets the same answer. What is measured is what stands in front.

const timestamp = '2026-01-01T00:00:00.000000Z'
const body = JSON.stringify({
  license: {
    id: '11111111-2222-4333-8444-555555555555',
    activation_limit: 3,
    expires_at: '2099-01-01T00:00:00.000000Z',
    suspended_at: null,
    status: 'ACTIVE',
    activation_usage: 1,
    activation_usage_formatted: '1/3',
    created_at: timestamp,
    updated_at: timestamp,
  },
  key: {
    id: '99999999-2222-4333-8444-555555555555',
    name: 'Ada’s laptop [0123456789abcdef]',
    created_at: timestamp,
    updated_at: timestamp,
  },
})
const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }

const server = createServer({ keepAliveTimeout: 65_000 }, (incoming, outgoing) => {
  incoming.resume()
  incoming.once('end', () => outgoing.writeHead(200, headers).end(body))
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`${JSON.stringify({ port: typeof address === 'object' ? address?.port : null })}\n`)
})
