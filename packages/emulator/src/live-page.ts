import { readFile } from 'node:fs/promises'
import { type Context, Hono } from 'hono'
import { streamSSE } from 'hono/streaming'
import type { EmulatorControl } from './control/control.ts'
import { loopbackGuard } from './control/control-app.ts'
import { conditionOf, type LicenseCondition } from './data/license-store.ts'
import type { FaultRules, InjectedFault } from './faults/fault-rules.ts'
import type { Format, FormatName, ServiceState } from './formats/format.ts'
import type { RequestLog, RequestRecord } from './request-log.ts'
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

/** The content of the live page, except the requests. */
export interface LiveSnapshot {
  baseUrl: string
  format: FormatName
  /** The newest ones, newest first. */
  licenses: LiveLicense[]
  licenseCount: number
  faults: InjectedFault[]
  /** Number of requests in the log. */
  requestCount: number
}

/** A license with its keys. */
export interface LiveLicense {
  license: License
  /** The text a user pastes. */
  licenseKey: string
  keys: LicenseKey[]
  condition: LicenseCondition
}

/** Time in milliseconds for collecting changes before they are sent together. */
const gatherMs = 40

/** Maximum number of licenses on the page. */
const shownLicenses = 100
const shownRequests = 200

/** The sources of the events. */
export interface LiveParts {
  state: ServiceState
  log: RequestLog
  faults: FaultRules
  control: EmulatorControl
  baseUrl: string
  format: Format
}

/** Responds with a stream of events: `requests` for changed requests, `snapshot` for everything else. */
export function streamLiveEvents(context: Context<ServiceEnv>, parts: LiveParts): Response {
  return streamSSE(context, async (stream) => {
    const changed = new Map<number, RequestRecord>()
    let isDue = true
    let wake = (): void => {}
    const onChange = (): void => {
      isDue = true
      wake()
    }
    const onRequest = (record: RequestRecord): void => {
      changed.set(record.id, record)
      wake()
    }
    const onClear = (): void => {
      changed.clear()
      onChange()
    }
    const { licenses } = parts.state.data
    licenses.changes.on('change', onChange)
    parts.faults.changes.on('change', onChange)
    parts.log.changes.on('change', onRequest).on('clear', onClear)
    stream.onAbort(() => {
      licenses.changes.off('change', onChange)
      parts.faults.changes.off('change', onChange)
      parts.log.changes.off('change', onRequest).off('clear', onClear)
      wake()
    })
    for (const record of parts.log.list().slice(-shownRequests)) changed.set(record.id, record)
    while (!stream.aborted) {
      if (isDue) {
        isDue = false
        await stream.writeSSE({ event: 'snapshot', data: JSON.stringify(takeSnapshot(parts)) })
      }
      if (changed.size > 0) {
        const records = [...changed.values()].slice(-shownRequests)
        changed.clear()
        await stream.writeSSE({ event: 'requests', data: JSON.stringify(records) })
      }
      await stream.sleep(gatherMs)
      if (isDue || changed.size > 0) continue
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  })
}

function takeSnapshot({ state, log, faults, control, baseUrl, format }: LiveParts): LiveSnapshot {
  const licenses = control.licenses()
  return {
    baseUrl,
    format: format.name,
    licenses: licenses
      .slice(-shownLicenses)
      .reverse()
      .map((license) => ({
        license,
        licenseKey: format.licenseKeyOf(license.id),
        keys: control.keys(license.id),
        condition: conditionOf(license, state.clock.nowMs()),
      })),
    licenseCount: licenses.length,
    faults: faults.list(),
    requestCount: log.size,
  }
}
