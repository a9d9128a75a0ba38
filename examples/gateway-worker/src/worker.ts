import {
  createGateway,
  createWorkersRateLimiter,
  type Gateway,
  parseSigningKeys,
  type WorkersRateLimitBinding,
} from '@latchkey/gateway'

/** The bindings in `wrangler.json`, and two secrets: `wrangler secret put` with each of their names. */
export interface Env {
  LATCHKEY_UPSTREAM: string
  LATCHKEY_ACCESS_TOKEN: string
  /** As printed by `latchkey-gateway keys generate`. Without it, answers contain no lease. */
  LATCHKEY_SIGNING_KEY?: string
  /** How many days an activation without internet holds. Without it, `/offline` doesn't exist. */
  LATCHKEY_OFFLINE_DAYS?: string
  LIMIT_PER_LICENSE: WorkersRateLimitBinding
  LIMIT_PER_ADDRESS: WorkersRateLimitBinding
}

// Bindings are only available during a request. The gateway is created once per isolate.
let gateway: Gateway | undefined

function gatewayOf(env: Env): Gateway {
  return createGateway({
    upstream: { baseUrl: env.LATCHKEY_UPSTREAM, accessToken: env.LATCHKEY_ACCESS_TOKEN },
    ...(env.LATCHKEY_SIGNING_KEY && { signing: { keys: parseSigningKeys(env.LATCHKEY_SIGNING_KEY) } }),
    ...(env.LATCHKEY_OFFLINE_DAYS && { offline: { days: Number(env.LATCHKEY_OFFLINE_DAYS) } }),
    limits: {
      perLicense: createWorkersRateLimiter(env.LIMIT_PER_LICENSE),
      perAddress: createWorkersRateLimiter(env.LIMIT_PER_ADDRESS),
    },
    // The platform sets this header. Callers can't.
    clientAddress: (request) => request.headers.get('cf-connecting-ip') ?? undefined,
    // biome-ignore lint/suspicious/noConsole: on Workers this is the log.
    log: (line) => console.log(JSON.stringify(line)),
  })
}

// biome-ignore lint/style/noDefaultExport: Workers requires a default export.
export default {
  fetch(request: Request, env: Env): Promise<Response> {
    gateway ??= gatewayOf(env)
    return gateway(request)
  },
}
