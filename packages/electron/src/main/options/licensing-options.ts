import type { LicenseService } from '@latchkey/services'
import type { BrowserWindow } from 'electron'
import type { Logger } from '../../core/ports.ts'
import type { LicenseTerms } from '../../core/state.ts'
import type { ActivationLink } from '../../shared/activation-screen.ts'
import type { Feature } from '../../shared/licensing-state.ts'
import type { ActivationTexts } from '../../texts/load-strings.ts'

/** The options of `createLicensing`. Only `appId` and `service` are required. */
export interface LicensingOptions {
  /**
   * Identifies this app, for example `com.example.notes`. It is part of the device's fingerprint, so if you change it,
   * every device counts as a new one.
   */
  readonly appId: string
  /**
   * The licensing service: the address of your gateway or of the commerce service, or an adapter of
   * `@latchkey/services` such as `polar({ organizationId })`.
   */
  readonly service: ServiceOptions | LicenseService
  /**
   * Public keys of a gateway that signs its answers, as printed by `latchkey-gateway keys generate`. If set, only
   * signed answers count, and offline entitlement ends with the signed lease.
   * @default answers are not signed
   */
  readonly leaseKeys?: LeaseKeys | undefined
  /**
   * Lets computers that never go online activate by file, text or QR code. Needs `leaseKeys`, and a gateway with
   * `LATCHKEY_OFFLINE_DAYS`.
   * @default off
   */
  readonly offlineActivation?: OfflineActivationOptions | undefined
  /**
   * How many days a validated device stays entitled while the service is unreachable; 0 for none. Like all days here, at
   * most 36500.
   * @default 14
   */
  readonly graceDays?: number | undefined
  /**
   * How many days a license stays usable after its end while the service can't be asked about a renewal; 0 for none. It
   * never extends beyond `graceDays` or a lease. If the service reports the license as expired, the app is locked at
   * once, and Latchkey checks for a renewal at least once an hour for as many days. @default 3
   */
  readonly renewalGraceDays?: number | undefined
  /**
   * How many days before the end of a license `state.license.endsSoon` becomes true; 0 for never.
   * @default 7
   */
  readonly renewalNoticeDays?: number | undefined
  /**
   * Returns what a license includes, for `licensing.has` and `state.license.features`. For services without
   * features, or to derive features from a plan. Keep it pure: it is called again for each answer.
   * @default the features that the service or your gateway reports
   * @example
   * features: ({ plan }) => (plan === 'Pro' ? ['export', 'sync'] : [])
   */
  readonly features?: ((license: LicenseTerms) => readonly Feature[]) | undefined
  /**
   * What happens when a license ends.
   *
   * - `lock`: it no longer entitles.
   * - `updates`: it still entitles every build that was released up to its end. A later build is `not-covered`. Needs
   * `build.releasedAt`.
   * @default 'lock'
   */
  readonly expiry?: 'lock' | 'updates' | undefined
  /** Facts about this build of the app, set by your bundler. It has no effect without `expiry: 'updates'`. */
  readonly build?: BuildOptions | undefined
  /**
   * Hours between two checks while the app runs, at least 0.1. At most half of `graceDays` counts, so that one failed check
   * doesn't lock a user out; a longer time is logged as a warning. With `graceDays: 0`, any time counts.
   * @default 24, or half of `graceDays` if that is less
   */
  readonly recheckHours?: number | undefined
  /** How many days the app can be used without a license key; 0 for no trial. @default 0 */
  readonly trialDays?: number | undefined
  /**
   * Looks for a license key that an administrator provided, so that nobody types one on many computers: on the command line
   * (`--license-key=`), in an environment variable (`NOTES_LICENSE_KEY`), in a policy file, and in managed preferences on
   * macOS, in this order. `true` uses the app's name for the variable and the file. A key that a user entered stays.
   * @default off
   */
  readonly provisioning?: true | ProvisioningOptions | undefined
  /** How this device is identified and named. */
  readonly device?: DeviceOptions | undefined
  /**
   * Which devices `devices()` and the activation window list, and `releaseDevice()` can release: all devices of the
   * license, or only this one, for a license that a company shares. Set the gateway's option `devices`, too: without
   * it, a modified app can still list and release all of them.
   * @default 'all'
   */
  readonly devices?: 'all' | 'own' | undefined
  /**
   * Deactivates this device whenever the app quits, for computers that are thrown away, such as containers, virtual
   * desktops and kiosks. The app then quits up to five seconds later. A device that was activated without internet
   * stays activated.
   * @default false
   */
  readonly releaseOnQuit?: boolean | undefined
  /**
   * Where Latchkey logs. `console` and electron-log both fit. Secrets are masked. `info` has one line per event in a
   * license's life, `debug` has one per request.
   * @default logs warnings and errors to the console
   */
  readonly logger?: Logger | undefined
  /**
   * Absolute path of the folder for the license record.
   * @default the folder `latchkey` in `app.getPath('userData')`
   */
  readonly directory?: string | undefined
  /**
   * Name of the record's file, without `.json`: letters, digits, `-` and `_`, at most 64 characters.
   * @default 'license'
   */
  readonly storeName?: string | undefined
  /**
   * Whether the system's keychain seals the record. With `false`, Latchkey never touches Electron's `safeStorage`, so no
   * user is ever asked for a keychain: the record is stored as plain text that shows edits, `state.storage` is `plain`, and
   * the device is identified before the launch decides. A record that the keychain sealed before doesn't open then, and
   * the user enters the key once.
   * @default true
   */
  readonly keychain?: boolean | undefined
  /**
   * Origins, besides the app's own files, whose windows may use licensing: your own scheme (`app://notes`) or a
   * dev server (`http://localhost:5173`). Unless the app is packaged, the `ELECTRON_RENDERER_URL` that electron-vite
   * sets is trusted automatically.
   */
  readonly trustedOrigins?: readonly string[] | undefined
  /**
   * Scheme of links that contain a license key, without `:`. With `notes`, `notes://activate?license=<key>` opens the
   * activation window with the key filled in, and `notes://offline-answer?answer=<text>` with the answer to an offline
   * request. Nothing is activated until the user clicks.
   *
   * Register the scheme with your packager or with `app.setAsDefaultProtocolClient`. On Windows and Linux the app needs
   * the single-instance lock. Call `createLicensing` before the app is ready, because on macOS the link that starts the
   * app arrives early.
   * @default no links
   */
  readonly deepLinkScheme?: string | undefined
  /** Appearance and texts of the activation window. */
  readonly window?: ActivationWindowOptions | undefined
}

/** The public part of a gateway's signing key, as a JWK. Only Ed25519 is supported. */
export interface LeaseKey {
  /** Kind of key: `OKP`. */
  readonly kty: string
  /** Curve: `Ed25519`. */
  readonly crv: string
  /** The 32 bytes of the public key, as base64url. */
  readonly x: string
  /** ID of the key, its RFC 7638 thumbprint, as the gateway prints it. */
  readonly kid?: string | undefined
  /** `EdDSA`, as the gateway prints it. */
  readonly alg?: string | undefined
  /** `sig`, as the gateway prints it. */
  readonly use?: string | undefined
}

/** Public keys of a gateway, as a JSON Web Key Set (JWKS). It has several while the gateway replaces its key. */
export interface LeaseKeys {
  /** One or more keys. */
  readonly keys: readonly LeaseKey[]
}

/** Where computers without internet are activated. */
export interface OfflineActivationOptions {
  /**
   * Address of the page that users open on another device: `/offline` below the base path of your gateway, for example
   * `https://licensing.example.com/v1/offline`.
   */
  readonly url: string | URL
}

/**
 * How to reach the service at an address. An adapter has none of these options: the function that creates it takes its own.
 */
export interface ServiceOptions {
  /** Address including its version segment, for example `https://licensing.example.com/v1`. */
  readonly baseUrl: string | URL
  /**
   * Sent as `Authorization: Bearer …`. The token can list all your customers, so it doesn't belong in an app: a
   * packaged app that has one is refused. Put a gateway (`@latchkey/gateway`) between app and service, and omit this
   * option.
   */
  readonly accessToken?: string | undefined
  /**
   * Allows a token in a packaged app, for services that issue tokens restricted to the license routes. Every user can
   * read it from the app.
   * @default false
   */
  readonly allowAccessTokenInPackagedAppWhereEveryUserCanReadIt?: boolean | undefined
  /**
   * Allows a plain `http:` address on another machine. Anyone on the network path can then read license keys and the
   * token. `http:` to this machine is always allowed.
   * @default false
   */
  readonly allowInsecure?: boolean | undefined
  /**
   * The form of license keys. Use `'any'` behind a gateway in front of Keygen, Lemon Squeezy, Polar or Dodo Payments,
   * whose keys are any text and are compared exactly. The commerce service's keys are UUIDs.
   * @default 'uuid'
   */
  readonly licenseKeys?: 'uuid' | 'any' | undefined
  /** Time limit of one request, in milliseconds, at least 100. @default 15_000 */
  readonly timeout?: number | undefined
  /**
   * Sent with every request. Latchkey sets `authorization`, `content-type` and `accept` itself and refuses them here.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Facts about this build of the app. */
export interface BuildOptions {
  /**
   * When this build was released: ISO 8601, UTC unless it has an offset, or a `Date`. It must be the same on every
   * computer, so let your bundler set it.
   */
  readonly releasedAt: string | Date
}

/** Where an administrator may provide a license key. */
export interface ProvisioningOptions {
  /** Name of the command line argument without `--`; `false` for none. @default 'license-key' */
  readonly argument?: string | false | undefined
  /**
   * Name of the environment variable; `false` for none.
   * @default the app's name in capitals, with `_LICENSE_KEY`. None if the name has no Latin letters or digits.
   */
  readonly variable?: string | false | undefined
  /**
   * Absolute path of the policy file, `{ "licenseKey": "…" }`, which only administrators may write; `false` for none.
   * @default `/etc/<app>/license.json` on Linux, `/Library/Application Support/<app>/license.json` on macOS,
   * `%ProgramData%\\<app>\\license.json` on Windows
   */
  readonly file?: string | false | undefined
}

/** How this device is identified and named. */
export interface DeviceOptions {
  /**
   * Readable name in device lists. With the commerce service, there is room for 13 characters, and the middle of a
   * longer name becomes `…`.
   * @default the host name
   */
  readonly label?: string | undefined
  /**
   * Replaces the machine ID, for fleets whose machines were cloned from one image and share an ID. It must be the same
   * at every launch and different on every machine.
   */
  readonly id?: string | undefined
}

/** Appearance and texts of the activation window. */
export interface ActivationWindowOptions {
  /** Name of the app, as the window's title and in its texts. @default the app's name */
  readonly title?: string | undefined
  /** The app's logo: absolute path of a PNG, JPEG, WebP, GIF or SVG file, or a `data:image/…` URL; up to 1 MB. */
  readonly logo?: string | undefined
  /** CSS color of buttons and focus, for example `#0a7c66` or `teal`. @default '#3d5af1' */
  readonly accent?: string | undefined
  /**
   * `https:` addresses that the window links to, each explained at {@link ActivationLink}. They open in the system
   * browser. `{expiresAt}` in an address becomes the end of the license, `{return}` in `buy` the percent-encoded link
   * that brings the buyer back, such as `notes://activate`, and other braces are refused. `{return}` requires
   * `deepLinkScheme`; the shop appends `?license=<license key>`.
   * @default no links, but for `account` the adapter's `customerPortal`, and for `devices` the gateway's page if it is on
   */
  readonly links?: { readonly [Link in ActivationLink]?: string | undefined } | undefined
  /** BCP 47 locale of the texts. Languages without built-in texts get English ones. @default app.getLocale() */
  readonly locale?: string | undefined
  /**
   * Texts that replace the built-in ones in every language, by key. Shown as text, never as markup. The guide's page on
   * the activation window lists the keys.
   */
  readonly strings?: ActivationTexts | undefined
  /** Parent window. The activation window stays above it. */
  readonly parent?: BrowserWindow | undefined
  /**
   * License key text, or the answer to an offline request, to fill in, for example from a deep link. Nothing is
   * activated until the user clicks.
   */
  readonly prefilledText?: string | undefined
}
