import {
  createGateway,
  createWorkersRateLimiter,
  type Gateway,
  parseSigningKeys,
  type WorkersRateLimitBinding,
} from '@latchkey/gateway'

/** What `wrangler.json` binds, and the two secrets: `wrangler secret put LATCHKEY_ACCESS_TOKEN`, `… LATCHKEY_SIGNING_KEY`. */
export interface Env {
  LATCHKEY_UPSTREAM: string
  LATCHKEY_ACCESS_TOKEN: string
  /** Made by `latchkey-gateway keys generate`. Without it answers carry no lease. */
  LATCHKEY_SIGNING_KEY?: string
  LIMIT_PER_LICENSE: WorkersRateLimitBinding
  LIMIT_PER_ADDRESS: WorkersRateLimitBinding
}

// Bindings come with the first request; what is made of them stays for the life of the isolate.
let gateway: Gateway | undefined

function gatewayOf(env: Env): Gateway {
  return createGateway({
    upstream: { baseUrl: env.LATCHKEY_UPSTREAM, accessToken: env.LATCHKEY_ACCESS_TOKEN },
    ...(env.LATCHKEY_SIGNING_KEY && { signing: { keys: parseSigningKeys(env.LATCHKEY_SIGNING_KEY) } }),
    limits: {
      perLicense: createWorkersRateLimiter(env.LIMIT_PER_LICENSE),
      perAddress: createWorkersRateLimiter(env.LIMIT_PER_ADDRESS),
    },
    // Set by the platform; a caller cannot.
    clientAddress: (request) => request.headers.get('cf-connecting-ip') ?? undefined,
    // biome-ignore lint/suspicious/noConsole: on Workers this is the log.
    log: (line) => console.log(JSON.stringify(line)),
  })
}

// biome-ignore lint/style/noDefaultExport: this is how Workers finds its handler.
export default {
  fetch(request: Request, env: Env): Promise<Response> {
    gateway ??= gatewayOf(env)
    return gateway(request)
  },
}
