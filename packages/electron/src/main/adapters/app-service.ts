import type { Fetch } from '@latchkey/commerce'
import type { LicenseService, Outcome, ServiceCall } from '@latchkey/services'
import type { Logger } from '../../core/ports.ts'
import { nameError } from '../../core/problem.ts'
import { readLicenseKeyText } from '../../shared/license-key-text.ts'
import { onDemand } from '../../shared/on-demand.ts'
import type { LicensingSettings } from '../options/parse-licensing-options.ts'
import { parseUrl } from '../origin.ts'
import type { LeaseVerifier } from './leases.ts'
import { logRequests } from './log-requests.ts'
import { nodeCrypto } from './node-crypto.ts'

/** What the app adds to its licensing service. */
export interface AppServiceOptions {
  /** Fetches over Electron's network stack, which knows the system's proxies and certificates. */
  readonly fetch: Fetch
  readonly logger: Logger
  /** Whether this is a packaged app, where license keys of the service's test mode may not be activated. */
  readonly isPackaged: boolean
  /** Time limit of each request in milliseconds. @default the adapter's */
  readonly timeoutMs?: number | undefined
  /** Called with the server's time, in milliseconds since the epoch, for every answer that has it. */
  readonly onServerDate: (serverDateMs: number) => void
  /** Called after each request with Chromium's code if there was no answer; `null` if there was one. */
  readonly onNetworkError: (code: string | null) => void
  /** Called with every license key and ID before it is sent, so that logs can mask it. */
  readonly onSecret: (text: string) => void
}

/**
 * Returns the same service, whose calls go over the app's network, are logged, and hide what they send from other logs. It
 * never rejects: a custom adapter that throws counts as unavailable.
 */
export function createAppService(service: LicenseService, options: AppServiceOptions): LicenseService {
  const { logger, isPackaged } = options
  const logged = logRequests(options.fetch, options)
  const fetch = isPackaged ? logged : warnOfAnotherAddress(logged, service, logger)
  const call: ServiceCall = {
    // The cookies of the app's windows don't belong in these requests. A followed redirect would send the key elsewhere,
    // and a list from a cache could cost a seat.
    fetch: (request, init) =>
      fetch(request, { ...init, credentials: 'omit', cache: 'no-store', redirect: 'manual' }),
    timeoutMs: options.timeoutMs,
    crypto: nodeCrypto,
    onResponse: ({ serverDateMs }) => {
      if (serverDateMs !== null) options.onServerDate(serverDateMs)
    },
  }

  async function asked<Value>(
    secrets: readonly (string | undefined)[],
    send: () => Promise<Outcome<Value>>,
  ): Promise<Outcome<Value>> {
    for (const secret of secrets) if (secret !== undefined) options.onSecret(secret)
    const outcome = await send().catch((error: unknown): Outcome<Value> => {
      logger.error(`The ${service.name} adapter failed (${nameError(error)})`)
      return defect
    })
    if (outcome.kind === 'unavailable' && outcome.cause === 'misconfigured' && outcome.detail !== null) {
      logger.error(`${service.name} can't do what this app needs, as it is set up: ${outcome.detail}`)
    }
    return outcome
  }

  /** Adds the app's network to a call. */
  function over<Request extends { readonly licenseKey: string; readonly activationId?: string }, Value>(
    send: (request: Request, call?: ServiceCall) => Promise<Outcome<Value>>,
  ): (request: Request, own?: ServiceCall) => Promise<Outcome<Value>> {
    return (request, own) =>
      asked([request.licenseKey, request.activationId], () =>
        send(request, { ...call, signal: own?.signal, headers: own?.headers }),
      )
  }

  const { activate, validate, deactivate, listActivations, showActivation, showLicense } = service
  return {
    ...service,
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

const defect: Outcome<never> = {
  kind: 'unavailable',
  cause: 'misconfigured',
  httpStatus: null,
  retryAfterMs: null,
  serverDateMs: null,
  bodyIsJson: null,
  mayHaveActed: true,
  detail: null,
}

/**
 * The commerce service, or a gateway, whose client is loaded when the first request is sent. The decision at launch doesn't
 * need it, and neither does the app's first window.
 *
 * @param verifier verifies that the gateway signed its answers; `undefined` if it doesn't sign them.
 */
export function createCommerceOnDemand(
  { service, keyFinder }: Pick<LicensingSettings, 'service' | 'keyFinder'>,
  verifier: LeaseVerifier | undefined,
  logger: Logger,
): LicenseService {
  const { baseUrl, accessToken, allowInsecure, headers, licenseKeys } = service
  const load = onDemand(async () => {
    const { commerce } = await import('@latchkey/services/commerce')
    const client = commerce({ baseUrl, accessToken, allowInsecure, headers, licenseKeys })
    if (verifier === undefined) return client
    const { createLeaseTrustLog, signedGateway } = await import('./signed-gateway.ts')
    return signedGateway(client, verifier, createLeaseTrustLog(logger, verifier.keyIds, baseUrl))
  })

  async function offered<Method extends 'listActivations' | 'showActivation'>(
    method: Method,
  ): Promise<NonNullable<LicenseService[Method]>> {
    const send = (await load())[method]
    if (send === undefined) throw new TypeError(`The commerce service has no ${method}`)
    return send
  }

  return {
    name: 'commerce',
    baseUrl,
    capabilities: {
      listsActivations: true,
      idempotentByFingerprint: false,
      tellsTheEnd: true,
      signsItsAnswers: verifier !== undefined,
    },
    links: { customerPortal: null },
    vendorSecrets: accessToken === undefined ? [] : ['accessToken'],
    findLicenseKey(text) {
      if (keyFinder !== undefined) return keyFinder.findLicenseKey(text)
      const found = readLicenseKeyText(text)
      // To the user, it looks like a wrong key.
      if (!found.ok && found.code === 'no-license-key') {
        logger.info(
          "A text has no UUID. If your license keys aren't UUIDs, set service.licenseKeys to 'any'.",
        )
      }
      return found
    },
    activate: async (request, call) => (await load()).activate(request, call),
    validate: async (request, call) => (await load()).validate(request, call),
    deactivate: async (request, call) => (await load()).deactivate(request, call),
    listActivations: async (request, call) => (await offered('listActivations'))(request, call),
    showActivation: async (request, call) => (await offered('showActivation'))(request, call),
  }
}

/**
 * Warns once if an adapter sends a request elsewhere than to its `baseUrl`. A copy such as `{ ...polar({…}), baseUrl }`
 * still asks the address that `polar()` got, and everything else that is logged names the other one.
 */
function warnOfAnotherAddress(
  fetch: Fetch,
  { name, baseUrl }: Pick<LicenseService, 'name' | 'baseUrl'>,
  logger: Pick<Logger, 'warn'>,
): Fetch {
  const expected = parseUrl(baseUrl)?.origin
  let isTold = false
  return (request, init) => {
    const asked = parseUrl(request.url)?.origin
    if (!isTold && asked !== expected) {
      isTold = true
      logger.warn(
        `The ${name} adapter asks ${asked}, not its baseUrl, ${expected}. If it is a copy with another baseUrl, pass baseUrl to the function that creates the adapter.`,
      )
    }
    return fetch(request, init)
  }
}
