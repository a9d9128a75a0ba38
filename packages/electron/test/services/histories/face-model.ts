import type { LicenseService } from '@latchkey/services'
import { bodyText } from '../../../../emulator/src/answer.ts'
import {
  createServiceData,
  type LicenseData,
  type LicenseKeyData,
} from '../../../../emulator/src/data/service-data.ts'
import { resolveDialect } from '../../../../emulator/src/formats/dialect.ts'
import type {
  Format,
  FormatRequest,
  FormatRoute,
  ServiceState,
} from '../../../../emulator/src/formats/format.ts'
import { formats } from '../../../../emulator/src/formats/formats.ts'
import { createServiceClock } from '../../../../emulator/src/timestamps.ts'
import type {
  Fate,
  ModelKey,
  ModelLicense,
  ModelOperation,
  ServiceModel,
  Travel,
} from '../../core/service-model.ts'
import { countCalls, withCall } from '../../doubles/with-call.ts'
import { type AdapterName, adapterOf } from '../faces.ts'

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

/** Finds the endpoint of a request, and its path's parameters. */
function routeOf(
  face: Format,
  method: string,
  { pathname }: URL,
): { readonly route: FormatRoute; readonly params: Readonly<Record<string, string>> } {
  for (const route of face.routes) {
    const pattern = route.path.replaceAll(/:(\w+)/gu, '(?<$1>[^/]+)')
    const found = new RegExp(`^${pattern}$`, 'u').exec(pathname)
    if (found !== null && route.method === method) return { route, params: found.groups ?? {} }
  }
  throw new Error(`The face has no ${method} ${pathname}`)
}

/** A license as the stories change it: each change is one at the face's own data. */
function modelLicense(
  name: AdapterName,
  licenseKey: string,
  data: LicenseData,
  nowMs: () => number,
): ModelLicense {
  return {
    id: licenseKey,
    limit: data.activation_limit,
    get expiresAtMs() {
      return data.expires_at === null ? null : Date.parse(data.expires_at)
    },
    set expiresAtMs(ms) {
      data.expires_at = ms === null ? null : new Date(ms).toISOString()
    },
    get isSuspended() {
      return data.suspended_at !== null
    },
    set isSuspended(isSuspended) {
      data.suspended_at = isSuspended ? new Date(nowMs()).toISOString() : null
    },
    get status() {
      return data.status
    },
    set status(status) {
      // Keygen knows no such status. A license that is overdue is as good as closed.
      data.status = name === 'keygen' && status === 'CLOSED' ? 'OVERDUE' : status
    },
    get keys() {
      return data.keys.map((key) => keyOf(name, key))
    },
    set keys(_) {
      throw new Error('Use removeKey')
    },
  }
}

/** An activation as the stories count it: the service may keep the fingerprint apart from the name. */
function keyOf(name: AdapterName, key: LicenseKeyData): ModelKey {
  const label = key.name === 'Work laptop' ? 'Work laptop [0000000000000000]' : key.name
  return { id: serviceIdOf(name, key), name: label, created_at: key.created_at, updated_at: key.updated_at }
}

/** The ID that the service gives an activation. */
function serviceIdOf(name: AdapterName, { id }: LicenseKeyData): string {
  return name === 'dodo' ? `lki_${id.replaceAll('-', '').slice(0, 20)}` : id
}
