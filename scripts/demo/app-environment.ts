import { type ServerType, serve } from '@hono/node-server'
import type { Emulator } from '@latchkey/emulator'

/** What the example app is told of the service. */
export type AppEnvironment = Readonly<Record<string, string | undefined>>

/** The app talks to the service itself, with its token: for development alone. */
export function directEnvironment({ baseUrl, accessToken }: Emulator): AppEnvironment {
  return { LATCHKEY_SERVICE_URL: baseUrl, LATCHKEY_SERVICE_TOKEN: accessToken ?? undefined }
}

/** A vendor's gateway before the service: it holds the token, and signs what it answers. */
export interface DemoGateway {
  readonly baseUrl: string
  readonly environment: AppEnvironment
  close(): Promise<void>
}

/** Starts a gateway with a signing key of its own. */
export async function startDemoGateway({ baseUrl, accessToken }: Emulator): Promise<DemoGateway> {
  // Built a moment ago: it could not be imported before.
  const { createGateway, generateSigningKey, leaseKeysOf } = await import('@latchkey/gateway')
  const keys = [await generateSigningKey()]
  const fetch = createGateway({ upstream: { baseUrl, accessToken: accessToken ?? '' }, signing: { keys } })
  const server = await new Promise<ServerType>((resolve) => {
    const started = serve({ fetch, port: 0, hostname: '127.0.0.1' }, () => resolve(started))
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const gatewayUrl = `http://127.0.0.1:${port}/v1`
  return {
    baseUrl: gatewayUrl,
    environment: {
      LATCHKEY_SERVICE_URL: gatewayUrl,
      LATCHKEY_SERVICE_TOKEN: undefined,
      LATCHKEY_LEASE_KEYS: JSON.stringify(await leaseKeysOf(keys)),
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
