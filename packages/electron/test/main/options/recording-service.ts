import { once } from 'node:events'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { Emulator } from '@latchkey/emulator'
import { createGateway, generateSigningKey, type LeaseKeys, leaseKeysOf } from '@latchkey/gateway'
import { upstreamOf } from '@latchkey/scripts/e2e/upstream-of'
import { onTestFinished } from 'vitest'

/** A gateway that signs its answers, and notes what it is asked. */
export interface RecordingService {
  /** The option `service` of an app. */
  readonly service: { readonly baseUrl: string; readonly licenseKeys?: 'any' }
  readonly leaseKeys: LeaseKeys
  readonly requests: readonly { readonly verb: string; readonly tenant: string | undefined }[]
}

/** Puts a signing gateway on a port of its own, in front of an emulator; closed with the test. */
export async function recordingService(emulator: Emulator): Promise<RecordingService> {
  const keys = [await generateSigningKey()]
  const gateway = createGateway({
    upstream: upstreamOf(emulator),
    signing: { keys },
  })
  const requests: { verb: string; tenant: string | undefined }[] = []
  const server = createServer(async (request, response) => {
    const { method = 'GET', url = '/', headers } = request
    requests.push({ verb: url.split('/')[4] ?? '', tenant: headers['x-tenant']?.toString() })
    const sent = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' ? [[name, value]] : [],
    )
    const body = method === 'GET' ? null : await buffer(request)
    const answer = await gateway(new Request(`http://localhost${url}`, { method, headers: sent, body }))
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  const baseUrl = `http://127.0.0.1:${port}/v1`
  const service = emulator.face === 'commerce' ? { baseUrl } : { baseUrl, licenseKeys: 'any' as const }
  return { service, leaseKeys: await leaseKeysOf(keys), requests }
}
