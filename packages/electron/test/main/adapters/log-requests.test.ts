import { expect, test } from 'vitest'
import { createConnectionFacts, logRequests, routeOf } from '../../../src/main/adapters/app-service.ts'
import { createRecordingLogger } from '../../doubles/recording-logger.ts'

const connection = createConnectionFacts()

const id = '11111111-2222-4333-8444-555555555555'

test('each request is a line at debug: method, route, status and duration', async () => {
  const logger = createRecordingLogger()
  const fetch = logRequests(async () => new Response('{}', { status: 201 }), logger, connection)
  await fetch(new Request(`https://example.com/v1/licenses/${id}/activate`, { method: 'POST' }))
  expect(logger.lines).toEqual([
    expect.stringMatching(/^debug POST \/v1\/licenses\/\*\/activate: status 201 after \d+ ms$/u),
  ])
})

test('a request without an answer is a line as well, and still fails', async () => {
  const logger = createRecordingLogger()
  const fetch = logRequests(() => Promise.reject(new Error(`no way to ${id}`)), logger, connection)
  await expect(fetch(new Request(`https://example.com/v1/licenses/${id}/keys`))).rejects.toThrow('no way')
  expect(logger.lines).toEqual([
    expect.stringMatching(/^debug GET \/v1\/licenses\/\*\/keys: no answer after \d+ ms$/u),
  ])
})

test.each([
  ['net::ERR_CONNECTION_REFUSED', /ms, ERR_CONNECTION_REFUSED$/u],
  ['net::ERR_SSL_PROTOCOL_ERROR', /ms, ERR_SSL_PROTOCOL_ERROR \(does the service use http:\/\/ instead/u],
])('the line has the code of %s', async (message, end) => {
  const logger = createRecordingLogger()
  const fetch = logRequests(() => Promise.reject(new Error(message)), logger, connection)
  await expect(fetch(new Request('https://example.com/v1/time'))).rejects.toThrow(message)
  expect(logger.lines).toEqual([expect.stringMatching(end)])
  expect(connection.networkError).toBe(message.slice('net::'.length))
  await logRequests(
    async () => new Response('{}'),
    logger,
    connection,
  )(new Request('https://example.com/v1/time'))
  expect(connection.networkError).toBeNull()
})

test.each([
  [`https://example.com/v1/licenses/${id}/keys/${id}?token=secret#part`, '/v1/licenses/*/keys/*'],
  ['https://example.com/api/v2/licenses/plain-words/validate', '/api/v2/licenses/*/validate'],
  ['https://example.com/v1/licenses/ABCD-1234/keys', '/v1/licenses/*/keys'],
  ['https://example.com/', '/'],
])('no id is in the route of %s', (url, route) => {
  expect(routeOf(url)).toBe(route)
})
