import { baseUrlOption, secretOption, tokenStaysPrivate } from '@latchkey/commerce/options'
import type { LicenseService } from '@latchkey/services'
import { longestOfflineDays } from '@latchkey/services/offline'
import * as z from 'zod/mini'
import { aFunction, checkedOptions, GatewayConfigError, withMethod } from './gateway-config-error.ts'
import type { GatewayLogLine } from './http/request-log.ts'
import { isSigningKey, type SigningKey } from './leases/signing-keys.ts'
import type { AllowRule, FeaturesRule, PlanRule } from './licenses/rules.ts'
import type { RateLimiter } from './limits/rate-limiter.ts'
import { type OpenedUpstream, openUpstream } from './upstreams/upstream.ts'

/** The commerce service behind the gateway. */
export interface UpstreamOptions {
  /** The service's base URL including its version segment, such as `https://commerce.example/v1`. */
  readonly baseUrl: string | URL
  /** The service's access token. It is sent there and nowhere else. */
  readonly accessToken: string
  /** Performs the requests. @default the gateway's `fetch` */
  readonly fetch?: ((request: Request, init?: RequestInit) => Promise<Response>) | undefined
  /** Timeout of one request to the service, in milliseconds. @default the gateway's `timeoutMs` */
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
  /**
   * Per license ID.
   * @default 120 per minute, or 4 for each device that the license allows, if that is more
   */
  readonly perLicense?: RateLimiter | false | undefined
  /**
   * Per client address; IPv6 addresses are grouped by /64. Only applies if `clientAddress` is set. An address may also
   * ask for at most 20 licenses a minute that the service doesn't know. That is always counted in this process.
   * `false` turns both off.
   * @default 600 per minute, or 4 for each device that a license used there allows, if that is more
   */
  readonly perAddress?: RateLimiter | false | undefined
  /**
   * Requests a minute to each service, which counts all of your customers as one address. Half of them are kept for
   * activations, and for license keys of which the service has shown a device. Once half of them are used, a *validate* of a good key
   * that is repeated within two minutes is answered from memory.
   * @default what the service allows: 60 for Lemon Squeezy, 100 for Keygen, 500 for Polar, otherwise no limit
   */
  readonly perUpstream?: number | false | undefined
  /**
   * Creates the limiters of the defaults, for example in a store that all instances share.
   * @default counted in this process
   */
  readonly counter?: ((name: 'license' | 'address', perMinute: number) => RateLimiter) | undefined
}

/** Whose pages these are. All of it is optional. */
export interface SiteOptions {
  /** The app's or your name, above each page's heading. */
  readonly name?: string | undefined
  /** The app's logo: a `data:image/…` or `https:` URL. @default a key */
  readonly logo?: string | undefined
  /** The color of buttons and links, as `#rrggbb`. @default '#3d5af1' */
  readonly accent?: string | undefined
  /** Where customers get help: a `mailto:` or `https:` URL, which each page links. @default no link */
  readonly support?: string | undefined
}

/** Options of the page that a shop sends buyers to. */
export interface ThanksPageOptions {
  /** The scheme of your app's links, such as `inkwell`: the app's `deepLinkScheme` option. */
  readonly scheme: string
}

/** Options for {@link createGateway}. */
export interface GatewayOptions {
  /**
   * The service behind the gateway. An adapter must be able to list devices, so pass your secret to it:
   * `lemonSqueezy({ storeId, productId, apiKey })`. If you pass several services, each license key is served by the
   * service that knows it.
   */
  readonly upstream: Upstream | readonly Upstream[]
  /** Performs the requests. @default globalThis.fetch */
  readonly fetch?: UpstreamFetch | undefined
  /** Timeout of one request, in milliseconds, at most 2_147_483_647. @default 10_000 */
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
   * Serves a page at `/devices` under the base path, where customers see the devices of their license and release one,
   * for example of a laptop that died. `POST /devices` is its JSON interface. Anyone who has a license key can use it, as
   * in the app. @default false
   */
  readonly devicesPage?: boolean | undefined
  /**
   * Serves a page at `/thanks?key=…` under the base path. Let your shop send buyers there, with their license key: the page
   * opens the app with it, and shows it to copy. @default off
   */
  readonly thanksPage?: ThanksPageOptions | undefined
  /** Name, logo, color and support address on the pages for customers. */
  readonly site?: SiteOptions | undefined
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
  /**
   * Which devices of a license an app can list: all, or only its own. With `'own'`, an app never gets the id of another
   * device, without which it can't release one. Set the app's option `devices`, too.
   * @default 'all'
   */
  readonly devices?: 'all' | 'own' | undefined
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

/** The checked {@link GatewayOptions}. */
export interface GatewaySettings {
  /** Contains at least one. */
  readonly upstreams: readonly OpenedUpstream[]
  /** Without a trailing slash; empty for none. */
  readonly basePath: string
  readonly leaseDays: number
  readonly renewalGraceDays: number
}

/** The longest timer of every runtime. A longer one ends at once. */
const longestTimeoutMs = 2_147_483_647
const longestLeaseDays = 366
const leaseDaysRule = `must be more than 0 and at most ${longestLeaseDays} days`

const upstreamRule =
  'must be { baseUrl, accessToken }, or an adapter such as polar({ organizationId, accessToken })'
const within = (min: number, max: number, unit: string) =>
  z.number().check(z.refine((value) => value >= min && value <= max, `must be from ${min} to ${max} ${unit}`))
const timeout = within(1, longestTimeoutMs, 'milliseconds')
const limit = z.union(
  [z.literal(false), withMethod<RateLimiter>('take', '')],
  'must be false, or a rate limiter such as createInProcessRateLimiter({ max, windowMs })',
)

const commerceSchema = z
  .strictObject({
    baseUrl: baseUrlOption,
    accessToken: z.pipe(
      z
        .string("must be the service's access token, as text")
        .check(z.minLength(1, 'is empty: check where you read the token from')),
      z.pipe(
        z.transform((token: string): unknown => token),
        secretOption,
      ),
    ),
    fetch: z.optional(aFunction),
    timeoutMs: z.optional(timeout),
    allowInsecure: z.optional(z.boolean()),
  })
  .check(tokenStaysPrivate)
const oneUpstream = [commerceSchema, withMethod<LicenseService>('findLicenseKey', upstreamRule)] as const

/** The base path of the routes. */
export const basePath: z.ZodMiniType<string, string> = z
  .string()
  .check(
    z.regex(
      /^(\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*\/?$/,
      'must look like /v1 or /licensing/v1, or be / for none',
    ),
  )

const webScheme = /^(?:https?|javascript|data|file|blob|about|mailto)$/

/** The scheme of an app's links. */
export const appScheme: z.ZodMiniType<string, string> = z
  .string()
  .check(
    z.refine(
      (scheme) => /^[a-z][a-z0-9+.-]*$/.test(scheme) && !webScheme.test(scheme),
      "must be the scheme of your app's links in lowercase, such as inkwell",
    ),
  )

const urlOf = (pattern: RegExp, rule: string): z.ZodMiniOptional<z.ZodMiniString<string>> =>
  z.optional(z.string().check(z.refine((url) => pattern.test(url) && URL.canParse(url), rule)))

/** The options of the pages for customers. */
export const siteShape: Readonly<Record<keyof SiteOptions, z.ZodMiniOptional<z.ZodMiniString<string>>>> = {
  name: z.optional(z.string().check(z.maxLength(100, 'must have at most 100 characters'))),
  logo: urlOf(
    /^(https:\/\/|data:image\/(svg\+xml|png|webp|jpeg)[;,])\S+$/,
    'must be an image at an https:// URL, or as data:image/…',
  ),
  accent: z.optional(z.string().check(z.regex(/^#[0-9a-f]{6}$/i, 'must be a color such as #3d5af1'))),
  support: urlOf(/^(https:\/\/|mailto:)\S+$/, 'must be a URL that starts with mailto: or https://'),
}

const gatewayShape = {
  upstream: z.union(
    [
      ...oneUpstream,
      z.array(z.union(oneUpstream, upstreamRule)).check(z.minLength(1, 'must name at least one service')),
    ],
    upstreamRule,
  ),
  fetch: z.optional(aFunction),
  timeoutMs: z.optional(timeout),
  basePath: z.optional(basePath),
  signing: z.optional(
    z.strictObject({
      keys: z.custom<readonly SigningKey[]>(
        (keys) => Array.isArray(keys) && keys.length > 0 && keys.every(isSigningKey),
        'must be a list of signing keys: pass the result of parseSigningKeys',
      ),
      leaseDays: z.optional(
        z.number().check(z.gt(0, leaseDaysRule), z.maximum(longestLeaseDays, leaseDaysRule)),
      ),
      renewalGraceDays: z.optional(within(0, longestLeaseDays, 'days')),
    }),
  ),
  offline: z.optional(z.strictObject({ days: within(1, longestOfflineDays, 'days') })),
  devicesPage: z.optional(z.boolean()),
  thanksPage: z.optional(z.strictObject({ scheme: appScheme })),
  site: z.optional(z.strictObject(siteShape)),
  allow: z.optional(aFunction),
  plan: z.optional(aFunction),
  features: z.optional(aFunction),
  devices: z.optional(z.enum(['all', 'own'])),
  limits: z.optional(
    z.strictObject({
      perLicense: z.optional(limit),
      perAddress: z.optional(limit),
      perUpstream: z.optional(z.union([z.literal(false), within(1, 1_000_000, 'a minute')])),
      counter: z.optional(aFunction),
    }),
  ),
  clientAddress: z.optional(aFunction),
  log: z.optional(aFunction),
  metrics: z.optional(withMethod('observe', 'must be an object with the method observe')),
  isHealthy: z.optional(aFunction),
  clock: z.optional(aFunction),
}

const { clientAddress: _, isHealthy: __, metrics: ___, ...sharedShape } = gatewayShape

/** The options that only `startGatewayServer` has. */
const serverShape = {
  port: z.optional(z.number()),
  host: z.optional(z.string()),
  trustedProxies: z.optional(z.number()),
  warn: z.optional(aFunction),
  metricsPort: z.optional(z.number()),
  metricsHost: z.optional(z.string()),
  ownsProcess: z.optional(z.boolean()),
}

const serverHints = Object.fromEntries(
  Object.keys(serverShape).map((name) => [
    name,
    ' of createGateway, but of startGatewayServer from @latchkey/gateway/node',
  ]),
)

/** @throws {GatewayConfigError} if an option is invalid. The message names every invalid option. */
export function checkGatewayOptions(options: GatewayOptions): GatewaySettings {
  checkedOptions('createGateway', z.strictObject(gatewayShape), options, serverHints)
  const { fetch, timeoutMs = 10_000, basePath = '/v1', signing, offline, limits, clock = Date.now } = options
  if (offline !== undefined && signing === undefined) {
    throw new GatewayConfigError([
      'offline needs signing: apps only accept signed answers. Create a key with: latchkey-gateway keys generate',
    ])
  }
  if (options.devices === 'own' && options.devicesPage === true) {
    throw new GatewayConfigError([
      "devices: 'own' (LATCHKEY_DEVICES) hides devices that devicesPage (LATCHKEY_DEVICES_PAGE) shows to anyone with the license key: use one of them",
    ])
  }
  const settings = { call: { fetch, timeoutMs }, perUpstream: limits?.perUpstream, clock }
  const upstreams = listOf(options.upstream).map((upstream) => openUpstream(upstream, settings))
  const { leaseDays = 14, renewalGraceDays = 3 } = signing ?? {}
  return { upstreams, basePath: basePath.replace(/\/$/, ''), leaseDays, renewalGraceDays }
}

/** Checks the names and values of a server's options. @throws {GatewayConfigError} if one is invalid. */
export function checkServerOptions(options: unknown): void {
  checkedOptions('startGatewayServer', z.strictObject({ ...sharedShape, ...serverShape }), options)
}

/** Returns one or several services as a list. */
export function listOf(upstream: GatewayOptions['upstream']): readonly Upstream[] {
  return 'length' in upstream ? upstream : [upstream]
}
