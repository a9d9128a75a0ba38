import { describe, expect, test } from 'vitest'
import { keyName, startGateway } from './gateway-fixture.ts'

const nested = '['.repeat(2000) + ']'.repeat(2000)
const json = 'application/json'

describe('an unusable body', () => {
  test.each([
    ['activate', 'no JSON', '{"name":', json, 400, 'invalid-body'],
    ['activate', 'empty', '', json, 400, 'invalid-body'],
    ['activate', 'null', 'null', json, 400, 'invalid-body'],
    ['activate', 'an array', `["${keyName}"]`, json, 400, 'invalid-body'],
    ['activate', 'a blank name', '{"name":"  "}', json, 400, 'invalid-body'],
    ['activate', 'a name with a line break', '{"name":"a\\r\\nX-Evil: 1"}', json, 400, 'invalid-body'],
    ['activate', 'a name with a NUL', '{"name":"a\\u0000"}', json, 400, 'invalid-body'],
    ['activate', 'a name that is too long', `{"name":"${'a'.repeat(256)}"}`, json, 400, 'invalid-body'],
    ['activate', 'a name that is an object', '{"name":{"$gt":""}}', json, 400, 'invalid-body'],
    ['activate', 'a name in the prototype', '{"__proto__":{"name":"x"}}', json, 400, 'invalid-body'],
    ['activate', 'nested 2,000 deep', nested, json, 400, 'invalid-body'],
    [
      'activate',
      'nested 2,000 deep beside a name that is none',
      `{"name":7,"x":${'['.repeat(1500)}${']'.repeat(1500)}}`,
      json,
      400,
      'invalid-body',
    ],
    ['activate', 'of 5 kB', `{"name":"a","x":"${'a'.repeat(5000)}"}`, json, 413, 'body-too-large'],
    ['activate', 'of 5 MB', `{"name":"a","x":"${'a'.repeat(5_000_000)}"}`, json, 413, 'body-too-large'],
    ['activate', 'a form', 'name=a', 'application/x-www-form-urlencoded', 415, 'json-only'],
    ['activate', 'JSON that says it is text', '{"name":"a"}', 'text/plain', 415, 'json-only'],
    ['activate', 'JSON that says nothing', '{"name":"a"}', '', 415, 'json-only'],
    ['activate', 'JSON of another kind', '{"name":"a"}', 'application/jsonp', 415, 'json-only'],
    ['validate', 'a key that is no UUID', '{"key":"../keys"}', json, 400, 'invalid-body'],
    [
      'validate',
      'a key that is a list',
      '{"key":["99999999-2222-4333-8444-555555555555"]}',
      json,
      400,
      'invalid-body',
    ],
    ['validate', 'without a key', '{}', json, 400, 'invalid-body'],
  ])(
    '%s with %s is refused without a request to the service',
    async (route, _what, body, type, status, code) => {
      const { emulator, gateway, lines, licenseId } = await startGateway()
      const answer = await gateway(
        new Request(`http://localhost/v1/licenses/${licenseId}/${route}`, {
          method: 'POST',
          headers: type === '' ? {} : { 'content-type': type },
          body: type === '' ? new TextEncoder().encode(body) : body,
        }),
      )
      expect(answer.status).toBe(status)
      expect(await answer.json()).toEqual({ error: code })
      expect(lines).toMatchObject([{ code, status, level: 'warn' }])
      expect(emulator.control.requests()).toEqual([])
    },
  )

  test('is cut off if it never ends', async () => {
    const { emulator, gateway, licenseId } = await startGateway()
    let sent = 0
    const body = new ReadableStream({
      pull(controller) {
        sent += 1024
        controller.enqueue(new Uint8Array(1024).fill(32))
        // Ends the body, so that a gateway that reads all of it fails instead of running out of memory.
        if (sent > 10_000_000) controller.close()
      },
    })
    const request = new Request(`http://localhost/v1/licenses/${licenseId}/activate`, {
      method: 'POST',
      headers: { 'content-type': json },
      body,
      // Node requires this for a stream, but the DOM types don't include it.
      ...{ duplex: 'half' },
    })
    expect((await gateway(request)).status).toBe(413)
    expect(sent).toBeLessThan(64 * 1024)
    expect(emulator.control.requests()).toEqual([])
  })

  test('is not read if its declared length is too large', async () => {
    const { gateway, licenseId } = await startGateway()
    let pulled = 0
    const body = new ReadableStream(
      {
        pull(controller) {
          pulled += 1
          controller.enqueue(new Uint8Array(1024).fill(32))
          if (pulled === 100) controller.close()
        },
      },
      { highWaterMark: 0 },
    )
    const request = new Request(`http://localhost/v1/licenses/${licenseId}/activate`, {
      method: 'POST',
      headers: { 'content-type': json, 'content-length': '5000000' },
      body,
      ...{ duplex: 'half' },
    })
    expect((await gateway(request)).status).toBe(413)
    expect(pulled).toBe(0)
  })

  test('is cut off if it is longer than declared', async () => {
    const { emulator, call, licenseId } = await startGateway()
    const answer = await call('POST', `/licenses/${licenseId}/activate`, {
      json: { name: keyName, padding: 'x'.repeat(10_000) },
      headers: { 'content-length': '10' },
    })
    expect(answer.status).toBe(413)
    expect(emulator.control.requests()).toEqual([])
  })

  test('is not decompressed', async () => {
    const { call, licenseId } = await startGateway()
    const answer = await call('POST', `/licenses/${licenseId}/activate`, {
      json: { name: keyName },
      headers: { 'content-encoding': 'gzip' },
    })
    expect(answer.status).toBe(415)
  })

  test.each(['', 'short', 'x'.repeat(21), 'x'.repeat(129), 'has a space in its middle!'])(
    'a nonce like «%s» is refused',
    async (nonce) => {
      const { emulator, call, lines, licenseId } = await startGateway()
      const answer = await call('POST', `/licenses/${licenseId}/activate`, {
        json: { name: keyName },
        headers: { 'latchkey-nonce': nonce },
      })
      expect(answer.status).toBe(400)
      expect(lines).toMatchObject([{ code: 'invalid-nonce' }])
      expect(emulator.control.requests()).toEqual([])
    },
  )
})
