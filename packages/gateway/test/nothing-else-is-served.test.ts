import { describe, expect, test } from 'vitest'
import { keyName, startGateway } from './gateway-fixture.ts'
import { adapterOf, gatewayOf, startFace } from './services/face-fixture.ts'

const id = '11111111-2222-4333-8444-555555555555'
const key = '99999999-2222-4333-8444-555555555555'

describe('a request for anything but the five routes', () => {
  test.each([
    ['GET', '/customers'],
    ['GET', '/customers?page=2'],
    ['GET', '/discounts'],
    ['GET', '/licenses'],
    ['GET', `/licenses/${id}`],
    ['GET', `/licenses/${id}/keys/`],
    ['GET', `/licenses/${id}//keys`],
    ['GET', `//licenses/${id}/keys`],
    ['GET', `/licenses/${id}/keys/${key}/x`],
    ['GET', `/licenses/${id}/keys/..`],
    ['GET', `/licenses/${id}/../../customers`],
    ['GET', `/licenses/${id}/%2e%2e/%2e%2e/customers`],
    ['GET', `/licenses/${id}%2fkeys`],
    ['GET', `/licenses/${id}/keys%2f${key}`],
    ['GET', `/licenses/..%2f..%2fcustomers/keys`],
    ['GET', `/licenses/%252e%252e%252fcustomers/keys`],
    ['GET', `/licenses%2f${id}%2fkeys`],
    ['GET', `/%6cicenses/${id}/keys`],
    ['GET', `/licenses/${id}/%6beys`],
    ['GET', `/licenses/${id.replace('1', '%31')}/keys`],
    ['GET', `/licenses/${id}/keys;x=1`],
    ['GET', `/licenses/${id}%00/keys`],
    ['GET', `/licenses/${id}%0d%0aX-Evil:%201/keys`],
    ['GET', `/LICENSES/${id}/keys`],
    ['GET', `/licenses/${id}x/keys`],
    ['GET', `/licenses/x${id}/keys`],
    ['GET', `/licenses/{${id}}/keys`],
    ['GET', `/licenses/*/keys`],
    ['GET', `/licenses/demo/keys`],
    ['GET', `/licenses/${'a'.repeat(100_000)}/keys`],
    ['GET', `/licenses/${id}/keys/${'9'.repeat(100_000)}`],
    ['POST', `/licenses/${id}/keys`],
    ['GET', `/licenses/${id}/activate`],
    ['PUT', `/licenses/${id}/activate`],
    ['PATCH', `/licenses/${id}/validate`],
    ['GET', `/licenses/${id}/validate`],
    ['DELETE', `/licenses/${id}/validate`],
    ['POST', `/licenses/${id}/deactivate`],
    ['DELETE', `/licenses/${id}/keys/${key}`],
    ['HEAD', `/licenses/${id}/keys`],
    ['OPTIONS', `/licenses/${id}/keys`],
    ['OPTIONS', `/licenses/${id}/validate`],
    ['PROPFIND', `/licenses/${id}/keys`],
  ])(
    '%s %s gets a 404 in plain text and one log line, and is not sent to the service',
    async (method, path) => {
      const { emulator, call, lines } = await startGateway()
      const answer = await call(method, path)
      expect(answer.status).toBe(404)
      expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
      expect(answer.headers.has('access-control-allow-origin')).toBe(false)
      expect(await answer.text()).toBe(method === 'HEAD' ? '' : 'Not found\n')
      expect(emulator.control.requests()).toEqual([])
      expect(lines).toHaveLength(1)
      expect(lines[0]).toMatchObject({ level: 'warn', status: 404, code: 'no-such-route' })
    },
  )

  test.each(['x-http-method-override', 'x-http-method', 'x-method-override'])(
    'a request that overrides its method with %s is not served',
    async (name) => {
      const { emulator, call, lines, licenseId } = await startGateway()
      const answer = await call('POST', `/licenses/${licenseId}/activate`, {
        json: { name: keyName },
        headers: { [name]: 'DELETE' },
      })
      expect(answer.status).toBe(404)
      expect(lines).toMatchObject([{ code: 'method-override', level: 'warn' }])
      expect(emulator.control.requests()).toEqual([])
    },
  )

  test('a path with dot segments cannot reach another host', async () => {
    const { emulator, gateway } = await startGateway()
    const answer = await gateway(
      new Request('https://evil.example\\@licenses.vendor.example/v1/../customers'),
    )
    expect(answer.status).toBe(404)
    expect(emulator.control.requests()).toEqual([])
  })

  test('/healthz reports whether this instance accepts requests, without a request to the service', async () => {
    let isHealthy = true
    const { gateway, emulator, lines } = await startGateway({ isHealthy: () => isHealthy })
    const healthz = async () => (await gateway(new Request('http://localhost/healthz'))).status
    expect(await healthz()).toBe(200)
    isHealthy = false
    expect(await healthz()).toBe(503)
    expect(emulator.control.requests()).toEqual([])
    expect(lines).toEqual([])
  })
})

const surrogate = 'key \ud83d'

test.each(['.', '..'])('a license key or key id %s reaches no path of the service', async (id) => {
  const emulator = await startFace('keygen')
  const { of, lines } = gatewayOf(adapterOf('keygen', emulator))
  const license = of(id)
  const known = of(emulator.licenseKey)
  const answers = [
    await license.keys(),
    await license.activate('Laptop'),
    await license.validate('some-key'),
    await license.deactivate('some-key'),
    await known.key(id),
    await known.validate(id),
    await known.deactivate(id),
  ]
  expect(answers.map(({ status }) => status)).toEqual(Array(answers.length).fill(400))
  expect(emulator.control.requests()).toEqual([])
  expect(lines.map(({ level }) => level)).not.toContain('error')
})

test('half of a surrogate pair in an id or a name is the client’s mistake', async () => {
  const emulator = await startFace('keygen')
  const { of } = gatewayOf(adapterOf('keygen', emulator))
  const license = of(emulator.licenseKey)
  const answers = [
    await license.validate(surrogate),
    await license.deactivate(surrogate),
    await license.activate(surrogate),
  ]
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 400])
  const { call, licenseId } = await startGateway()
  const path = `/licenses/${licenseId}/activate`
  expect((await call('POST', path, { json: { name: surrogate } })).status).toBe(400)
})
