import type { Fetch } from '@latchkey/commerce'
import { networkCode } from '@latchkey/commerce/http'
import {
  type LastList,
  type LicenseService,
  type Outcome,
  type ServiceCall,
  unavailable,
} from '@latchkey/services'
import { devicesPageHeader } from '@latchkey/services/commerce'
import type { Logger } from '../../core/ports.ts'
import { nameError } from '../../core/problem.ts'
import { nodeCrypto } from './leases.ts'

/** What the requests so far have shown. */
export interface ConnectionFacts {
  /** How far this computer's clock was ahead of the service's at its last answer, in milliseconds. */
  clockAheadMs: number | null
  /** Chromium's code of why the last request had no answer; `null` if it had one, or none was sent. */
  networkError: string | null
  /** Whether a gateway has said that it serves its page for devices. */
  hasDevicesPage: boolean
}

/** What is known before the first request. */
export function createConnectionFacts(): ConnectionFacts {
  return { clockAheadMs: null, networkError: null, hasDevicesPage: false }
}

/** What the app adds to its licensing service. */
export interface AppServiceOptions {
  /** Fetches over Electron's network stack, which knows the system's proxies and certificates. */
  readonly fetch: Fetch
  readonly logger: Logger
  /** Whether this is a packaged app, where license keys of the service's test mode may not be activated. */
  readonly isPackaged: boolean
  /** Whether the app passed an adapter, whose host serves no page for devices. */
  readonly isAdapter: boolean
  /** Time limit of each request in milliseconds. @default the adapter's */
  readonly timeoutMs?: number | undefined
  /** Keeps the last signed list of an adapter. */
  readonly lastList?: LastList | undefined
  /** Is kept up to date with every request. */
  readonly connection: ConnectionFacts
  /** Gets every license key and ID before it is sent, so that logs can mask it. */
  readonly sentKeys: Set<string>
}

/**
 * Returns the same service, whose calls go over the app's network, are logged, and hide what they send from other logs. It
 * never rejects: a custom adapter that throws counts as unavailable.
 */
export function createAppService(service: LicenseService, options: AppServiceOptions): LicenseService {
  const { logger, isPackaged, isAdapter, connection, sentKeys } = options
  const fetch = logRequests(options.fetch, logger, connection)
  const call: ServiceCall = {
    // The cookies of the app's windows don't belong in these requests. A followed redirect would send the key elsewhere,
    // and a list from a cache could cost a seat.
    fetch: (request, init) =>
      fetch(request, { ...init, credentials: 'omit', cache: 'no-store', redirect: 'manual' }),
    timeoutMs: options.timeoutMs,
    crypto: nodeCrypto,
    lastList: options.lastList,
    onResponse: ({ headers }) => {
      if (!isAdapter && headers.get(devicesPageHeader) === '1') connection.hasDevicesPage = true
    },
  }

  /** Sends a call over the app's network. */
  function over<Request extends { readonly licenseKey: string; readonly activationId?: string }, Value>(
    send: (request: Request, call?: ServiceCall) => Promise<Outcome<Value>>,
  ): (request: Request, own?: ServiceCall) => Promise<Outcome<Value>> {
    return async (request, own) => {
      sentKeys.add(request.licenseKey)
      if (request.activationId !== undefined) sentKeys.add(request.activationId)
      try {
        const outcome = await send(request, { ...call, signal: own?.signal, headers: own?.headers })
        if (outcome.serverDateMs !== null) connection.clockAheadMs = Date.now() - outcome.serverDateMs
        if (outcome.kind === 'unavailable' && outcome.cause === 'misconfigured' && outcome.detail !== null) {
          logger.error(`${service.name} can't do what this app needs, as it is set up: ${outcome.detail}`)
        }
        return outcome
      } catch (error) {
        logger.error(`The ${service.name} adapter failed (${nameError(error)})`)
        return unavailable('misconfigured', { mayHaveActed: true })
      }
    }
  }

  const { activate, validate, deactivate, listActivations, showActivation, showLicense } = service
  return {
    ...service,
    findLicenseKey: service.findLicenseKey.bind(service),
    activate: over((request, own) =>
      activate.call(service, { ...request, allowsTestLicense: !isPackaged }, own),
    ),
    validate: over(validate.bind(service)),
    deactivate: over(deactivate.bind(service)),
    ...(listActivations && { listActivations: over(listActivations.bind(service)) }),
    ...(showActivation && { showActivation: over(showActivation.bind(service)) }),
    ...(showLicense && { showLicense: over(showLicense.bind(service)) }),
  }
}

/** Logs each request at `debug`: method, route, status and duration. No id, no key, no query. */
export function logRequests(fetch: Fetch, logger: Logger, connection: ConnectionFacts): Fetch {
  return async (request, init) => {
    const startedMs = performance.now()
    const route = `${request.method} ${routeOf(request.url)}`
    const durationMs = (): number => Math.round(performance.now() - startedMs)
    try {
      const answer = await fetch(request, init)
      logger.debug(`${route}: status ${answer.status} after ${durationMs()} ms`)
      connection.networkError = null
      return answer
    } catch (error) {
      const code = networkCode(error)
      logger.debug(`${route}: no answer after ${durationMs()} ms${reasonOf(code)}`)
      connection.networkError = code
      throw error
    }
  }
}

function reasonOf(code: string | null): string {
  if (code === null) return ''
  const hint = code === 'ERR_SSL_PROTOCOL_ERROR' ? ' (does the service use http:// instead of https://?)' : ''
  return `, ${code}${hint}`
}

/** Collection names of the interface. The path segment after one of them is an id. */
const collections: ReadonlySet<string> = new Set(['licenses', 'keys', 'accounts', 'machines'])

/** Returns a URL's path with `*` in place of every segment that may identify a license or a device. */
export function routeOf(url: string): string {
  const parts = new URL(url).pathname.split('/')
  return parts
    .map((part, index) => {
      const isPlain = /^(?:v\d+|[a-z]{1,20}(?:-[a-z]{1,20}){0,3})?$/u.test(part)
      return isPlain && !collections.has(parts[index - 1] ?? '') ? part : '*'
    })
    .join('/')
}
