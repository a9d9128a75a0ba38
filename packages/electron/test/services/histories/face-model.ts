import type { LicenseService } from '@latchkey/services'
import { bodyText } from '../../../../emulator/src/answer.ts'
import { createServiceData, type LicenseData } from '../../../../emulator/src/data/service-data.ts'
import { resolveDialect } from '../../../../emulator/src/formats/dialect.ts'
import type { FormatRequest, ServiceState } from '../../../../emulator/src/formats/format.ts'
import { formats } from '../../../../emulator/src/formats/formats.ts'
import { createServiceClock } from '../../../../emulator/src/timestamps.ts'
import type { Fate, ModelLicense, ModelOperation, ServiceModel, Travel } from '../../core/service-model.ts'
import { countCalls, withCall } from '../../doubles/with-call.ts'
import { type AdapterName, adapterOf } from '../faces.ts'
import { keyOf, modelLicense, routeOf, serviceIdOf } from './face-parts.ts'

const baseUrl = 'https://service.example'
/** No network delays a request for longer than this. */
const longestDeliveryMs = 10 * 60_000

/** A service's face without a network, as the stories of the core need it. */
export interface FaceModel extends ServiceModel {
  /** Activations whose answer was lost. Without a list, each may have left a seat behind. */
  lostActivations(): number
  /** Whether an adapter is working, so that the story waits for it. */
  isWorking(): boolean
  readonly service: LicenseService
}

/** The emulator's face of one service, reached through its adapter. */
export function createFaceModel(name: AdapterName, nowMs: () => number): FaceModel {
  const face = formats[name]
  const clock = createServiceClock(nowMs)
  const state: ServiceState = {
    accessToken: 'demo',
    dialect: resolveDialect({}),
    clock,
    data: createServiceData(clock),
  }
  const { publicKey: _, ...settings } = face.settings
  const service = adapterOf[name]({ baseUrl, settings })
  const licenses: ModelLicense[] = []
  let late: (readonly [sentAtMs: number, arrive: () => void])[] = []
  let lostActivations = 0
  let working = 0

  const find = ({ id }: ModelLicense): LicenseData => {
    const data = state.data.licenses.list().find((license) => face.licenseKeyOf(license.id) === id)
    if (data === undefined) throw new Error('The model lost a license')
    return data
  }

  /** The effect of a request at the service. */
  async function serve(request: Request): Promise<() => Response> {
    const url = new URL(request.url)
    const text = await request.text()
    const { route, params } = routeOf(face, request.method, url)
    const faceRequest: FormatRequest = {
      operation: route.operation,
      method: request.method,
      url,
      header: (header) => request.headers.get(header) ?? undefined,
      param: (param) => params[param] ?? '',
      bodyText: text,
      refuseToken: () => {},
    }
    return () => {
      const answer = face.answer(state, faceRequest)
      const headers = { 'content-type': answer.contentType, ...answer.headers, date: dateOf(nowMs()) }
      const body = answer.status === 204 ? null : bodyText(answer)
      return new Response(body, { status: answer.status, headers })
    }
  }

  return {
    service,
    licenses,
    lostActivations: () => lostActivations,
    isWorking: () => working > 0,
    addLicense(limit) {
      const data = state.data.licenses.create({
        activation_limit: limit,
        expires_at: null,
        suspended_at: null,
        status: 'ACTIVE',
      })
      const license = modelLicense(name, face.licenseKeyOf(data.id), data, nowMs)
      licenses.push(license)
      return license
    },
    addKey: (license, label) => keyOf(name, state.data.licenses.addKey(find(license), label)),
    removeKey(license, keyId) {
      const data = find(license)
      const key = data.keys.find((it) => serviceIdOf(name, it) === keyId)
      return key !== undefined && state.data.licenses.removeKey(data, key.id)
    },
    deliverLate() {
      const arriving = late
      late = []
      for (const [sentAtMs, arrive] of arriving) if (nowMs() < sentAtMs + longestDeliveryMs) arrive()
    },
    sendLate(arrive) {
      late.push([nowMs(), arrive])
    },
    reachedBy(fateOf, travel = async () => {}) {
      const reached = withCall(service, () => ({ fetch: (request) => deliver(request, fateOf, travel) }))
      return countCalls(reached, (change) => {
        working += change
      })
    },
  }

  async function deliver(
    request: Request,
    fateOf: (operation: ModelOperation) => Fate,
    travel: Travel,
  ): Promise<Response> {
    const { operation } = routeOf(face, request.method, new URL(request.url)).route
    const fate = fateOf(operation as ModelOperation)
    const act = await serve(request)
    const takesSeat = operation === 'activate'
    const actUnheard = (): void => {
      const before = seatCount()
      act()
      if (takesSeat && seatCount() > before) lostActivations += 1
    }
    const onTheWay: Travel = async (arrive) => {
      working -= 1
      await travel(arrive)
      working += 1
    }
    const arrives = fate.kind !== 'request-lost' && fate.kind !== 'status' && fate.kind !== 'portal'
    await onTheWay(arrives ? actUnheard : null)
    switch (fate.kind) {
      case 'served': {
        const response = act()
        await onTheWay(null)
        return response
      }
      case 'request-lost':
        throw new TypeError('fetch failed')
      case 'answer-lost':
        actUnheard()
        await onTheWay(null)
        throw new TypeError('fetch failed')
      case 'late':
        late.push([nowMs(), actUnheard])
        throw new TypeError('fetch failed')
      case 'status-after':
        actUnheard()
        await onTheWay(null)
        return box(fate.status, true)
      case 'status':
        return box(fate.status, fate.isJson)
      case 'portal':
        return new Response('<!doctype html><title>Welcome</title>', {
          headers: { 'content-type': 'text/html' },
        })
    }
  }

  function seatCount(): number {
    return state.data.licenses.list().reduce((sum, { keys }) => sum + keys.length, 0)
  }

  function box(status: number, isJson: boolean): Response {
    const body = isJson ? JSON.stringify({ message: 'no' }) : '<!doctype html><title>No</title>'
    return new Response(body, { status, headers: { date: dateOf(nowMs()) } })
  }
}

/** Every HTTP server dates its answers, in whole seconds. */
function dateOf(ms: number): string {
  return new Date(ms).toUTCString()
}
