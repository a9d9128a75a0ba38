import type { Exchange } from '@latchkey/commerce'
import type { LicenseService } from '@latchkey/services'
import type { GatewayLogLine } from './http/request-log.ts'
import type { SigningKey } from './leases/signing-keys.ts'
import type { AllowRule } from './licenses/allow-rule.ts'
import type { FeaturesRule, PlanRule } from './licenses/license-terms.ts'
import type { RateLimiter } from './limits/rate-limiter.ts'

/** The commerce service behind the gateway. */
export interface UpstreamOptions {
  /** The service's base URL including its version segment, such as `https://commerce.example/v1`. */
  readonly baseUrl: string | URL
  /** The service's access token. It is sent there and nowhere else. */
  readonly accessToken: string
  /** Performs the requests. @default globalThis.fetch */
  readonly fetch?: ((request: Request, init?: RequestInit) => Promise<Response>) | undefined
  /** Performs the requests in place of `fetch`. `startGatewayServer` sets it to Node's HTTP client, which is faster. */
  readonly exchange?: Exchange | undefined
  /** Timeout of one request to the service, in milliseconds. @default 10_000 */
  readonly timeoutMs?: number | undefined
  /** Allows sending the token over plain HTTP to another machine, for example in a service mesh. @default false */
  readonly allowInsecure?: boolean | undefined
}

/** Performs one HTTP request. */
export type UpstreamFetch = NonNullable<UpstreamOptions['fetch']>

/** A service behind the gateway: options for the commerce service, or an adapter from `@latchkey/services`. */
export type Upstream = UpstreamOptions | LicenseService

/** Rate limits. `false` turns a limit off. */
export interface GatewayLimits {
  /** Per license ID. @default 120 per minute, counted in this process */
  readonly perLicense?: RateLimiter | false | undefined
  /**
   * Per client address; IPv6 addresses are grouped by /64. Only applies if `clientAddress` is set. An address may also
   * ask for at most 20 licenses a minute that the service doesn't know. That is always counted in this process.
   * `false` turns both off.
   * @default 600 per minute, counted in this process
   */
  readonly perAddress?: RateLimiter | false | undefined
}

/** Options for {@link createGateway}. */
export interface GatewayOptions {
  /**
   * The service behind the gateway. An adapter must be able to list devices, so pass your secret to it:
   * `lemonSqueezy({ storeId, productId, apiKey })`. If you pass several services, each license key is served by the
   * service that knows it.
   */
  readonly upstream: Upstream | readonly Upstream[]
  /** Performs the adapters' requests. @default globalThis.fetch */
  readonly fetch?: UpstreamFetch | undefined
  /** Timeout of one adapter request, in milliseconds, at most 2_147_483_647. @default 10_000 */
  readonly timeoutMs?: number | undefined
  /**
   * Path prefix of the routes; `/` for none. In your app, set `baseUrl` to the gateway's address plus this path.
   * @default '/v1'
   */
  readonly basePath?: string | undefined
  /** Signs leases. If unset, responses contain no lease. */
  readonly signing?:
    | {
        /** The active key first. The others sign for older apps that don't trust the active key yet. */
        readonly keys: readonly SigningKey[]
        /** How long an app may run on a lease without reaching the gateway. @default 14 */
        readonly leaseDays?: number | undefined
        /**
         * How many days a lease may extend past the license's end, because an offline app can't know whether the
         * subscription was renewed. Use the same value as the app's `renewalGraceDays`; 0 for none. @default 3
         */
        readonly renewalGraceDays?: number | undefined
      }
    | undefined
  /**
   * Activates computers that never go online, by file, text, or QR code, at `/offline` under the base path. Requires
   * `signing`. @default off
   */
  readonly offline?:
    | {
        /** How many days an offline activation is valid, from 1 to 3660. It never extends past the license's end. */
        readonly days: number
      }
    | undefined
  /**
   * Decides which licenses are served. A refused license looks like an unknown one, so devices that use it lose their
   * activation. Deactivating is always allowed. If the rule throws, or returns a value
   * that counts as false but isn't `false`, the response is a 500, and the log says why.
   */
  readonly allow?: AllowRule | undefined
  /**
   * Returns each license's plan, which apps read as `state.license.plan`; `null` for none. If the rule throws or returns
   * something else, the response is a 500, and the app keeps the plan it has. `undefined` counts as none, with a warning
   * in the log.
   * @default the plan that the service reports
   */
  readonly plan?: PlanRule | undefined
  /**
   * Returns the features each license includes, which apps check with `licensing.has`. A lease holds up to 2 kB of JSON
   * for plan and features. Features beyond that are dropped, and the log line has the remark `features-cut`. If the
   * rule throws or returns something else than a list, the response is a 500, and the app keeps the features it has.
   * `undefined` counts as none, with a warning in the log.
   * @default the features that the service reports
   */
  readonly features?: FeaturesRule | undefined
  /** How many requests are accepted for one license, and from one address. */
  readonly limits?: GatewayLimits | undefined
  /** Returns the client's address; `undefined` if unknown. */
  readonly clientAddress?: ((request: Request) => string | undefined) | undefined
  /**
   * Called once per request, when its response is ready.
   * @default no log: `startGatewayServer` warns once about each error that needs action, and with `createGateway`, errors
   * of the service and of your rules are not shown anywhere
   */
  readonly log?: ((line: GatewayLogLine) => void) | undefined
  /** Called once per request, like `log`, to collect metrics. */
  readonly metrics?: { observe(line: GatewayLogLine): void } | undefined
  /** Return `false` to make `/healthz` respond with 503, while this instance shuts down. @default () => true */
  readonly isHealthy?: (() => boolean) | undefined
  /** Returns the current time in milliseconds since the epoch. @default Date.now */
  readonly clock?: (() => number) | undefined
}
