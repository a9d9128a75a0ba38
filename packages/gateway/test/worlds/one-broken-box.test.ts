import { expect, test } from 'vitest'
import { answerOf, type Box, boxes } from '../../../electron/test/worlds/box.ts'
import { responseOf } from '../../../electron/test/worlds/dialect.ts'
import { createForeignService } from '../../../electron/test/worlds/foreign-service.ts'
import { createGateway, generateSigningKey, leaseKeysOf, verifyLease } from '../../src/index.ts'
import { nonce } from '../gateway-fixture.ts'

const signingKey = await generateSigningKey()
const leaseKeys = await leaseKeysOf([signingKey])
const nowMs = Date.UTC(2026, 10, 1, 12)
const isLong = process.env['LATCHKEY_LONG'] === '1'
const headers = { 'content-type': 'application/json', 'latchkey-nonce': nonce }

/** A gateway in front of a service, and a box that may stand between them. */
function vendor() {
  const service = createForeignService(() => nowMs)
  const way: { box: Box | null } = { box: null }
  const gateway = createGateway({
    upstream: {
      baseUrl: 'https://service.example/v1',
      accessToken: 'token',
      fetch: async (request) =>
        way.box === null ? service.fetch(request) : responseOf(answerOf(way.box, request.method, nowMs)),
    },
    signing: { keys: [signingKey] },
    limits: { perLicense: false, perAddress: false },
    clock: () => nowMs,
  })
  const ask = (method: string, path: string, json?: unknown): Promise<Response> =>
    gateway(
      new Request(`https://licenses.vendor.example/v1${path}`, {
        method,
        headers,
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      }),
    )
  return { service, way, ask }
}

async function statusInLease(answer: Response): Promise<string | null> {
  const jws = answer.headers.get('latchkey-lease')
  if (jws === null) return null
  const verdict = await verifyLease(jws, { leaseKeys, nowMs, nonce })
  return verdict.trusted ? verdict.claims.sta : verdict.refusal
}

test('behind a proxy that gives the same answer to everything, the gateway signs and confirms nothing', async () => {
  const complaints: string[] = []
  const passThrough = async ([name, box]: (typeof boxes)[number]): Promise<void> => {
    const { service, way, ask } = vendor()
    const license = service.addLicense()
    const path = `/licenses/${license.id}`
    const activated = await ask('POST', `${path}/activate`, { name: 'Work laptop [0123456789abcdef]' })
    expect(await statusInLease(activated)).toBe('ACTIVE')
    const key = license.keys[0]?.id ?? ''
    way.box = box
    const [shown, validated, another, deactivated, listed] = await Promise.all([
      ask('GET', `${path}/keys/${key}`),
      ask('POST', `${path}/validate`, { key }),
      ask('POST', `${path}/activate`, { name: 'Tower [fedcba9876543210]' }),
      ask('DELETE', `${path}/deactivate`, { key }),
      ask('GET', `${path}/keys`),
    ])
    for (const [what, answer] of Object.entries({ shown, validated, another, deactivated, listed })) {
      const signed = await statusInLease(answer)
      if (signed !== null) complaints.push(`${name}: ${what}: signed ${signed}`)
      if (answer.status < 300 && (what === 'validated' || what === 'another' || what === 'shown')) {
        complaints.push(`${name}: ${what}: passed on with ${answer.status}`)
      }
    }
    way.box = null
    expect(await statusInLease(await ask('POST', `${path}/validate`, { key }))).toBe('ACTIVE')
    license.keys.length = 0
    expect(await statusInLease(await ask('GET', `${path}/keys/${key}`))).toBe('GONE')
  }
  await Promise.all(boxes.filter((_, index) => isLong || index % 3 === 0).map(passThrough))
  expect(complaints).toEqual([])
})
