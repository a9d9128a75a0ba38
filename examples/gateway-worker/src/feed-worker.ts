import { createFeed } from './feed.ts'

/** Variables of the Worker. */
export interface FeedEnv {
  FEED_ORIGIN: string
  /** The public half that `latchkey-gateway keys generate` prints. */
  LATCHKEY_LEASE_KEYS: string
}

// biome-ignore lint/style/noDefaultExport: Workers requires a default export.
export default {
  fetch(request: Request, env: FeedEnv): Promise<Response> {
    const feed = createFeed({ origin: env.FEED_ORIGIN, leaseKeys: JSON.parse(env.LATCHKEY_LEASE_KEYS) })
    return feed(request)
  },
}
