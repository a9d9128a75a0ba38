import type { Context } from 'hono'
import { streamSSE } from 'hono/streaming'
import type { EmulatorControl } from './control/control.ts'
import type { Face } from './faces/face.ts'
import type { FaultRules } from './faults/fault-rules.ts'
import { conditionOf, dialectNames, type LiveSnapshot } from './live-snapshot.ts'
import type { RequestLog, RequestRecord } from './request-log.ts'
import type { ServiceEnv } from './service/service-app.ts'
import type { ServiceState } from './service/service-state.ts'

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
  face: Face
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
    const unsubscribe = [
      parts.state.data.licenses.changes.subscribe(onChange),
      parts.faults.changes.subscribe(onChange),
      parts.log.cleared.subscribe(() => {
        changed.clear()
        onChange()
      }),
      parts.log.changes.subscribe((record) => {
        changed.set(record.id, record)
        wake()
      }),
    ]
    stream.onAbort(() => {
      for (const end of unsubscribe) end()
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

function takeSnapshot({ state, log, faults, control, baseUrl, face }: LiveParts): LiveSnapshot {
  const licenses = control.licenses()
  return {
    baseUrl,
    faceName: face.name,
    dialectName: state.dialect.name,
    dialectNames,
    licenses: licenses
      .slice(-shownLicenses)
      .reverse()
      .map((license) => ({
        license,
        licenseKey: face.licenseKeyOf(license.id),
        keys: control.keys(license.id),
        condition: conditionOf(license, state.clock.nowMs()),
      })),
    licenseCount: licenses.length,
    faults: faults.list(),
    requestCount: log.size,
  }
}
