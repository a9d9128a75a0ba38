import type { LicenseService } from '@latchkey/services'
import type { BrowserWindow } from 'electron'
import type { Logger } from '../../core/ports/logger-port.ts'
import type { ActivationLink } from '../../shared/activation-screen.ts'
import type { LeaseKeys } from './lease-key.ts'

/** What `createLicensing` is told. Only `appId` and `service` are required. */
export interface LicensingOptions {
  /**
   * Names this app to Latchkey, for example `com.example.notes`. It goes into the device's fingerprint: a changed
   * `appId` makes every device a new one.
   */
  readonly appId: string
  /**
   * The licensing service: the address of your gateway or of the commerce service, or an adapter of
   * `@latchkey/services` such as `polar({ organizationId })`.
   */
  readonly service: ServiceOptions | LicenseService
  /**
   * Public keys of a gateway that signs its answers, as `latchkey-gateway keys generate` prints them. With them only
   * signed answers count, and nothing entitles offline beyond the signed lease.
   * @default answers are not signed
   */
  readonly leaseKeys?: LeaseKeys | undefined
  /** Days an unreachable service keeps a validated device entitled. @default 14 */
  readonly graceDays?: number | undefined
  /**
   * Days a license stays usable after its end while the service can't be asked whether it was renewed; 0 for none. It
   * never extends beyond `graceDays` or a lease. @default 3
   */
  readonly renewalGraceDays?: number | undefined
  /** Hours between two checks while the app runs. @default 24 */
  readonly recheckHours?: number | undefined
  /** Days the app may be used before a license key is needed; 0 for no trial. @default 0 */
  readonly trialDays?: number | undefined
  /** How this device is named. */
  readonly device?: DeviceOptions | undefined
  /**
   * Where Latchkey tells you what it does; `console` and electron-log fit as they are. Secrets are masked. `info` has one
   * line for each event in a license's life, `debug` one for each request.
   * @default warnings and errors go to the console
   */
  readonly logger?: Logger | undefined
  /**
   * Absolute path of the folder the record is kept in.
   * @default the folder `latchkey` in `app.getPath('userData')`
   */
  readonly directory?: string | undefined
  /** Name of the record's file, without `.json`. @default 'license' */
  readonly storeName?: string | undefined
  /**
   * Origins, besides the app's own files, whose windows may use licensing: your own scheme (`app://notes`) or a
   * dev server (`http://localhost:5173`). `ELECTRON_RENDERER_URL`, as electron-vite sets it, is trusted by itself
   * while the app is not packaged.
   */
  readonly trustedOrigins?: readonly string[] | undefined
  /**
   * Scheme of links that bring a license key, without `:`: with `notes`, `notes://activate?license=<key>` opens the
   * activation screen with the key filled in. Nothing is activated without the user's click. Register the scheme with
   * your packager, or by `app.setAsDefaultProtocolClient`; on Windows and Linux the app needs the single-instance lock.
   * @default no links
   */
  readonly deepLinkScheme?: string | undefined
  /** What the activation screen looks like and says. */
  readonly window?: ActivationWindowOptions | undefined
}

/** How to reach the service. */
export interface ServiceOptions {
  /** Address including its version segment, for example `https://licensing.example.com/v1`. */
  readonly baseUrl: string | URL
  /**
   * Sent as `Authorization: Bearer …`. It can list every customer, so it does not belong in an app: a packaged app
   * that has one is refused. Put a gateway (`@latchkey/gateway`) between app and service, and leave this out.
   */
  readonly accessToken?: string | undefined
  /**
   * For services that issue tokens restricted to the license routes: lets a packaged app hold one. Every user can
   * read it out of the app.
   * @default false
   */
  readonly allowAccessTokenInPackagedAppWhereEveryUserCanReadIt?: boolean | undefined
  /**
   * Allows a `baseUrl` of plain `http:` on another machine, where anyone on the way can read license keys and the token.
   * `http:` to this machine needs no permission.
   * @default false
   */
  readonly allowInsecure?: boolean | undefined
  /** Milliseconds one request may take. @default 15_000 */
  readonly timeout?: number | undefined
  /** Sent with every request. `authorization`, `content-type` and `accept` are set by Latchkey and refused here. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** How this device is named. */
export interface DeviceOptions {
  /** Readable name in device lists. @default the host name */
  readonly label?: string | undefined
  /**
   * Replaces the machine ID, for fleets whose machines were cloned from one image and share it. Has to be the same
   * at every launch and another one on every machine.
   */
  readonly id?: string | undefined
}

/** What the activation screen looks like and says. */
export interface ActivationWindowOptions {
  /** Heading and title of the window. @default the app's name */
  readonly title?: string | undefined
  /** The app's logo: absolute path of a PNG, JPEG, WebP, GIF or SVG file, or a `data:image/…` URL; up to 1 MB. */
  readonly logo?: string | undefined
  /** CSS color of buttons and focus, for example `#0a7c66` or `teal`. */
  readonly accent?: string | undefined
  /** `https:` addresses the screen offers; they open in the system's browser. */
  readonly links?: { readonly [Link in ActivationLink]?: string | undefined } | undefined
  /** BCP 47 locale of the texts. @default app.getLocale() */
  readonly locale?: string | undefined
  /** Texts that replace the built-in ones, by key. Shown as text, never as markup. */
  readonly strings?: Readonly<Record<string, string>> | undefined
  /** Window the activation window belongs to and stays above. */
  readonly parent?: BrowserWindow | undefined
  /** License key text, for example from a deep link, to fill in. It is never activated without the user's click. */
  readonly prefilledText?: string | undefined
}
