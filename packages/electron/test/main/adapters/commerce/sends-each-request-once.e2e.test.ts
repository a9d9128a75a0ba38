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

/** How a connection ends that was reset, or closed, after the service acted and before it answered. */
const ends: readonly RawAnswer[] = ['reset', 'hang up']
/** Whether the connection was used for an earlier request. */
const connections = { fresh: 'connection: close', reused: 'connection: keep-alive' } as const

async function activate(app: OpenApp, baseUrl: string): Promise<string> {
  await app.createLicensing({ service: { baseUrl, accessToken: 'token' } })
  return await app.electronApp.evaluate(async ({ app: electronApp }, given) => {
    await electronApp.whenReady()
    const result = await globalThis.licensing.activate(given)
    return result.ok ? 'active' : result.problem.code
  }, licenseKey)
}

for (const end of ends) {
  for (const [kind, header] of Object.entries(connections)) {
    test(`an activation whose ${kind} connection ends without an answer (${end}) took one seat`, async ({
      openApp,
    }) => {
      const service = await startRawService(({ method }) =>
        method === 'GET' ? json(`403 Forbidden\r\n${header}`, { message: 'no list' }) : end,
      )
      expect(await activate(await openApp(), service.baseUrl)).toBe('activation-unconfirmed')
      expect(service.sent('GET', '/keys')).not.toHaveLength(0)
      expect(service.sent('POST', '/activate')).toHaveLength(1)
    })

    test(`a deactivation whose ${kind} connection ends without an answer (${end}) is sent once`, async ({
      openApp,
    }) => {
      const service = await startRawService(({ method }) => {
        if (method === 'GET') return json(`403 Forbidden\r\n${header}`, { message: 'no list' })
        return method === 'POST' ? json(`201 Created\r\n${header}`, { key, license }) : end
      })
      const app = await openApp()
      expect(await activate(app, service.baseUrl)).toBe('active')
      const seat = await app.electronApp.evaluate(async () => {
        const result = await globalThis.licensing.deactivate()
        return result.ok ? result.seat : result.problem.code
      })
      expect(seat).toBe('freed-later')
      expect(service.sent('DELETE', '/deactivate')).toHaveLength(1)
    })
  }
}

test('a connection another window left open carries no activation', async ({ openApp }) => {
  const service = await startRawService(({ method, path }) => {
    if (path.endsWith('/warm')) return json(`200 OK\r\n${connections.reused}`, {})
    return method === 'GET' ? json(`403 Forbidden\r\n${connections.reused}`, { message: 'no list' }) : 'reset'
  })
  const app = await openApp()
  await app.electronApp.evaluate(async ({ app: electronApp, net }, url) => {
    await electronApp.whenReady()
    await Promise.all(Array.from({ length: 4 }, () => net.fetch(url, { credentials: 'omit' })))
  }, `${service.baseUrl}/warm`)
  await activate(app, service.baseUrl)
  expect(service.sent('POST', '/activate').map(({ before }) => before)).toEqual([0])
})
