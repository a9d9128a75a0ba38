import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'

// A service with any number of licenses that costs next to nothing: it makes each answer from the path. `GET /seen` says
// how many licenses it was asked about, and how often for what.

const timestamp = '2026-01-01T00:00:00.000000Z'
const keyId = '99999999-2222-4333-8444-555555555555'
const key = {
  id: keyId,
  name: 'Ada’s laptop [0123456789abcdef]',
  created_at: timestamp,
  updated_at: timestamp,
}
const seen = new Set<string>()
const verbs: Record<string, number> = {}

function answerTo(licenseId: string, verb: string): unknown {
  if (verb === 'keys') return { data: [key] }
  if (verb === 'key') return { data: key }
  if (verb === 'deactivate') return { message: 'deactivated' }
  const license = {
    id: licenseId,
    activation_limit: 3,
    expires_at: '2099-01-01T00:00:00.000000Z',
    suspended_at: null,
    status: 'ACTIVE',
    activation_usage: 1,
    activation_usage_formatted: '1/3',
    created_at: timestamp,
    updated_at: timestamp,
  }
  return { license, key }
}

const server = createServer({ keepAliveTimeout: 65_000 }, async (incoming, outgoing) => {
  await buffer(incoming)
  const [, , , licenseId = '', last = '', shownKey] = (incoming.url ?? '').split('/')
  const isReport = incoming.url === '/seen'
  const verb = shownKey === undefined ? last : 'key'
  if (!isReport) {
    seen.add(licenseId)
    verbs[verb] = (verbs[verb] ?? 0) + 1
  }
  const body = JSON.stringify(isReport ? { licenses: seen.size, verbs } : answerTo(licenseId, verb))
  outgoing.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  outgoing.end(body)
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`${JSON.stringify({ port: typeof address === 'object' ? address?.port : null })}\n`)
})
