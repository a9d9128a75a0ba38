import { readFile } from 'node:fs/promises'
import { Hono } from 'hono'
import type { EmulatorControl } from './control/control.ts'
import { loopbackGuard } from './control/control-app.ts'
import { conditionOf, type LicenseCondition } from './data/license-store.ts'
import type { InjectedFault } from './faults/fault-rules.ts'
import type { Format, FormatName, ServiceState } from './formats/format.ts'
import type { RequestRecord } from './request-log.ts'
import type { ServiceEnv } from './service-app.ts'
import type { License, LicenseKey } from './wire.ts'

const script = 'text/javascript; charset=utf-8'

/** The files of the page, with their content types. */
const assets: ReadonlyMap<string, string> = new Map([
  ['index.html', 'text/html; charset=utf-8'],
  ['page.css', 'text/css; charset=utf-8'],
  ['icon.svg', 'image/svg+xml'],
  ...['page', 'control', 'elements', 'faults', 'licenses', 'requests'].map(
    (name) => [`${name}.js`, script] as const,
  ),
])

const headers = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
}

/** Creates the page at `/`, where a developer can watch an app activate. */
export function createLivePage(): Hono<ServiceEnv> {
  const app = new Hono<ServiceEnv>()
  for (const [asset, contentType] of assets) {
    app.get(asset === 'index.html' ? '/' : `/page/${asset}`, loopbackGuard, async () => {
      // This file is one folder below the package, next to page/, whether built or not.
      const bytes = await readFile(new URL(`../page/${asset}`, import.meta.url))
      return new Response(bytes, { headers: { ...headers, 'content-type': contentType } })
    })
  }
  return app
}

/** The content of the live page, which asks for it again and again. */
export interface LiveContent {
  baseUrl: string
  format: FormatName
  /** The newest ones, newest first. */
  licenses: LiveLicense[]
  licenseCount: number
  faults: InjectedFault[]
  /** The newest ones, newest first. */
  requests: RequestRecord[]
}

/** A license with its keys. */
export interface LiveLicense {
  license: License
  /** The text a user pastes. */
  licenseKey: string
  keys: LicenseKey[]
  condition: LicenseCondition
}

/** How many licenses and requests the page shows. */
const [shownLicenses, shownRequests] = [100, 200]

/** Returns what the page shows now. */
export function liveContent(
  control: EmulatorControl,
  { clock }: ServiceState,
  format: Format,
  baseUrl: string,
): LiveContent {
  const licenses = control.licenses()
  return {
    baseUrl,
    format: format.name,
    licenses: licenses
      .slice(-shownLicenses)
      .reverse()
      .map((license) => ({
        license,
        licenseKey: license.license_key,
        keys: control.keys(license.id),
        condition: conditionOf(license, clock.nowMs()),
      })),
    licenseCount: licenses.length,
    faults: control.faults.list(),
    requests: control.requests().slice(-shownRequests).reverse(),
  }
}
