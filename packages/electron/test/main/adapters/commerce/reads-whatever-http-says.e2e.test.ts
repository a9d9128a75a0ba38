import { expect } from 'vitest'
import { type OpenApp, test } from '../../../fixtures/open-app-test.ts'
import {
  json,
  key,
  license,
  licenseKey,
  type RawAnswer,
  startRawService,
} from '../../../fixtures/raw-service.ts'

interface Outcome {
  readonly code: string
  readonly httpStatus: number | undefined
  readonly retryAt: string | undefined
}

async function activate(app: OpenApp, baseUrl: string): Promise<Outcome> {
  await app.createLicensing({ service: { baseUrl, accessToken: 'token' } })
  return await app.electronApp.evaluate(async ({ app: electronApp }, given) => {
    await electronApp.whenReady()
    const result = await globalThis.licensing.activate(given)
    const { code, httpStatus, retryAt } = result.ok
      ? { code: 'active', httpStatus: undefined, retryAt: undefined }
      : result.problem
    return { code, httpStatus, retryAt }
  }, licenseKey)
}

const noList = json('403 Forbidden', { message: 'no list' })

const strangeHeads: Readonly<Record<string, string>> = {
  'a header beyond Latin-1': '201 Created\r\nx-served-by: Łódź ☃',
  'a reason phrase beyond Latin-1': '201 Utworzono ✓',
  'bytes that are no text at all': '201 Created\r\nx-noise: \u0001\u0002',
  'a header name with a space in it': '201 Created\r\nx odd name: yes',
}

test.for(Object.entries(strangeHeads))('%s does not cost a good answer', async ([, head], { openApp }) => {
  const service = await startRawService(({ method }) =>
    method === 'GET' ? noList : json(head, { key, license }),
  )
  expect(await activate(await openApp(), service.baseUrl)).toMatchObject({ code: 'active' })
})

test('a service’s Retry-After is read, whatever its other headers', async ({ openApp }) => {
  const service = await startRawService(() =>
    json('503 Przerwa ☕\r\nretry-after: 3600\r\nx-served-by: Łódź', {}),
  )
  const { code, retryAt } = await activate(await openApp(), service.baseUrl)
  expect(code).toBe('service-error')
  expect(Date.parse(retryAt ?? '') - Date.now()).toBeGreaterThan(3_500_000)
})

test.for([301, 302, 307, 308])(
  'a redirect (%i) is an unexpected answer, and followed nowhere',
  async (status, { openApp }) => {
    const answer: RawAnswer = `HTTP/1.1 ${status} Elsewhere\r\nlocation: /elsewhere\r\ncontent-length: 0\r\n\r\n`
    const service = await startRawService(() => answer)
    const outcome = await activate(await openApp(), service.baseUrl)
    expect(outcome).toMatchObject({ code: 'unexpected-answer', httpStatus: status })
    expect(service.requests.filter(({ path }) => !path.startsWith('/v1/'))).toEqual([])
  },
)
