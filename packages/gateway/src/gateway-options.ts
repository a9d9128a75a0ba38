import type { LicenseService } from '@latchkey/services'
import type { AllowRule } from './allow-rule.ts'
import type { SigningKey } from './leases/signing-keys.ts'
import type { FeaturesRule, PlanRule } from './license-terms.ts'
import type { RateLimiter } from './limits/rate-limiter.ts'
import type { GatewayLogLine } from './request-log.ts'

/** The commerce service behind the gateway. */
export interface UpstreamOptions {
  /** The service's base URL including its version segment, such as `https://commerce.example/v1`. */
  readonly baseUrl: string | URL
  /** The service's access token. It is sent there and nowhere else. */
  readonly accessToken: string
  /** Performs the requests. @default globalThis.fetch */
  readonly fetch?: (request: Request, init?: RequestInit) => Promise<Response>
  /** Milliseconds one request to the service may take. @default 10_000 */
  readonly timeoutMs?: number
  /** Sends the token over plain http to another machine, say a service mesh that encrypts by itself. @default false */
  readonly allowInsecure?: boolean
}

/** Performs one HTTP request. */
export type UpstreamFetch = NonNullable<UpstreamOptions['fetch']>

/** A service behind the gateway: the commerce service's address, or an adapter of `@latchkey/services`. */
export type Upstream = UpstreamOptions | LicenseService

/** Limits on requests. `false` turns one off. */
export interface GatewayLimits {
  /** By license id. @default 120 a minute, counted in this process */
  readonly perLicense?: RateLimiter | false
  /** By client address, IPv6 by its /64. Counts only where `clientAddress` is given. @default 600 a minute, counted in this process */
  readonly perAddress?: RateLimiter | false
}

/** How to run a gateway. */
export interface GatewayOptions {
  /**
   * The service behind the gateway. An adapter must be able to list devices, so give it your secret:
   * `lemonSqueezy({ storeId, productId, apiKey })`. With a list of services, each license key is served by the one that
   * knows it.
   */
  readonly upstream: Upstream | readonly Upstream[]
  /** Performs the requests of adapters. @default globalThis.fetch */
  readonly fetch?: UpstreamFetch
  /** Milliseconds that one request of an adapter may take. @default 10_000 */
  readonly timeoutMs?: number
  /**
   * Path the interface is served below; `/` for none. The base URL of an app is the gateway's address with this path.
   * @default '/v1'
   */
  readonly basePath?: string
  /** Signs leases. Without it answers carry none. */
  readonly signing?: {
    /** The active key first. The others sign for apps that say they trust one of them and not the active one. */
    readonly keys: readonly SigningKey[]
    /** How long an app may run on a lease without reaching the gateway. @default 14 */
    readonly leaseDays?: number
    /**
     * How many days a lease may outlast the license's own end. An app that is offline then cannot know whether the
     * subscription was renewed that night. Set it like the app's `renewalGraceDays`; 0 for none. @default 3
     */
    readonly renewalGraceDays?: number
  }
  /**
   * Activates computers that never go online, by file, text or QR code, at `/offline` below the base path. Needs
   * `signing`. @default off
   */
  readonly offline?: {
    /** How long a device may run on one answer, from 1 to 3660 days. It never outlasts the license. */
    readonly days: number
  }
  /**
   * Which licenses are served. One that is refused looks like one that the service doesn't know, so a device that uses
   * it learns that its key is gone. Freeing a seat is always served. If the rule throws, the answer is a 500.
   */
  readonly allow?: AllowRule
  /**
   * Names each license's plan, which apps read as `state.license.plan`; `null` for none. If the rule throws, the answer is
   * a 500, and the app keeps what it knows.
   * @default the plan that the service tells
   */
  readonly plan?: PlanRule
  /**
   * Lists what each license includes, which apps ask for with `licensing.has`. Together with the plan, up to 2 kB of JSON
   * fit into a lease. Further features are left out, and the log has `features-cut`. If the rule throws, the answer is a
   * 500, and the app keeps what it knows.
   * @default the features that the service tells
   */
  readonly features?: FeaturesRule
  readonly limits?: GatewayLimits
  /** The address a request came from; `undefined` when it is not known. */
  readonly clientAddress?: (request: Request) => string | undefined
  /** Called once for each request, after its answer is decided. */
  readonly log?: (line: GatewayLogLine) => void
  /** Called like `log`: counts requests. */
  readonly metrics?: { observe(line: GatewayLogLine): void }
  /** Whether `/healthz` answers 200, or 503 because this instance is about to stop. @default () => true */
  readonly isHealthy?: () => boolean
  /** Milliseconds since the epoch. @default Date.now */
  readonly clock?: () => number
}
