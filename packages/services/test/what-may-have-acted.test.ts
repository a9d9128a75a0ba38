import { expect, test } from 'vitest'
import { commerce } from '../src/commerce.ts'
import { createSend } from '../src/request.ts'

const send = createSend()
const request = { method: 'POST', url: 'https://service.example/activate', acts: true } as const

function failing(message: string): Error {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code: message }) })
}

test.each(['ECONNREFUSED', 'ENOTFOUND', 'net::ERR_CONNECTION_REFUSED', 'net::ERR_NAME_NOT_RESOLVED'])(
  'a request that never connected (%s) took no seat',
  async (code) => {
    const answer = await send(request, { fetch: () => Promise.reject(failing(code)) })
    expect(answer).toMatchObject({ kind: 'unavailable', mayHaveActed: false })
  },
)

test.each(['ECONNRESET', 'net::ERR_INTERNET_DISCONNECTED'])(
  'a request whose connection broke (%s) may have taken a seat',
  async (code) => {
    const answer = await send(request, { fetch: () => Promise.reject(failing(code)) })
    expect(answer).toMatchObject({ kind: 'unavailable', mayHaveActed: true })
  },
)

test('a request whose answer broke off may have taken a seat, regardless of the error code', async () => {
  const body = new ReadableStream({ start: (controller) => controller.error(failing('ECONNREFUSED')) })
  const answer = await send(request, { fetch: () => Promise.resolve(new Response(body)) })
  expect(answer).toMatchObject({ kind: 'unavailable', mayHaveActed: true })
})

test('a proxy that asks for a password is named by its status, even if its answer breaks off', async () => {
  const body = new ReadableStream({ start: (controller) => controller.error(failing('ERR_FAILED')) })
  const answer = await send(request, { fetch: () => Promise.resolve(new Response(body, { status: 407 })) })
  expect(answer).toMatchObject({ kind: 'unavailable', cause: 'access-denied', httpStatus: 407 })
})

test('the code of Chromium for a failed connection reaches the app through the commerce service', async () => {
  const service = commerce({ baseUrl: 'https://service.example', accessToken: 'token' })
  const subject = {
    licenseKey: '0b2ef27a-4a5e-4a0c-93f5-9d9a4f0ac1d1',
    activationId: '5f0c56c9-90e5-4c80-8a8c-7b1a6ad3f9a4',
    fingerprint: '0123456789abcdef',
  }
  const deactivated = (code: string) =>
    service.deactivate(subject, { fetch: () => Promise.reject(new Error(`net::${code}`)) })
  expect(await deactivated('ERR_CERT_DATE_INVALID')).toMatchObject({
    cause: 'network',
    detail: 'ERR_CERT_DATE_INVALID',
    mayHaveActed: true,
  })
  expect(await deactivated('ERR_CONNECTION_REFUSED')).toMatchObject({ cause: 'network', mayHaveActed: false })
})
