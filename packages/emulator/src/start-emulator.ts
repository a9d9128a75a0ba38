import { createServer, type Server } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { createControl, type EmulatorControl } from './control/control.ts'
import { createControlApp } from './control/control-app.ts'
import type { ShownLicense } from './control/license-control.ts'
import { parseInput } from './control/parse-input.ts'
import type { EmulatorData } from './data/emulator-data.ts'
import { emulatorDataSchema } from './data/emulator-data-schema.ts'
import { seededData, withDemoLicense } from './data/seeded-data.ts'
import { createServiceData } from './data/service-data.ts'
import type { Dialect } from './dialects/dialect.ts'
import type { DialectName } from './dialects/dialects.ts'
import { resolveDialect } from './dialects/resolve-dialect.ts'
import type { FaceName } from './faces/face.ts'
import { faces } from './faces/faces.ts'
import { limitFace } from './faces/rate-limit.ts'
import { createFaultRules } from './faults/fault-rules.ts'
import { listen } from './listener.ts'
import { streamLiveEvents } from './live-events.ts'
import { createLivePage } from './live-page.ts'
import { buildOpenApiDocument } from './openapi/openapi-document.ts'
import { checkEmulatorOptions } from './options/check-emulator-options.ts'
import { createRequestLog } from './request-log.ts'
import { createServiceApp, type ServiceEnv } from './service/service-app.ts'
import type { ServiceState } from './service/service-state.ts'
import { createServiceClock } from './timestamps.ts'

/** Options of an emulator. */
export interface EmulatorOptions {
  /** 0 uses any free port. @default 0 */
  port?: number | undefined
  /** The address to listen on. @default '127.0.0.1' */
  host?: string | undefined
  /** The token that requests must send; `null`: none is required. @default 'demo' */
  accessToken?: string | null | undefined
  /** A seed number, which always gives the same data, or the data itself. @default 1 */
  seed?: number | EmulatorData | undefined
  /** Number of customers to generate from the seed. @default 60 */
  customers?: number | undefined
  /** Number of discounts to generate from the seed. @default 30 */
  discounts?: number | undefined
  /** The service whose wire format to use. @default 'commerce' */
  face?: FaceName | undefined
  /** Whether to limit requests like the real service, if its limit is known (Polar). @default false */
  rateLimits?: boolean | undefined
  /** How the service behaves where the interface leaves it open. @default 'default' */
  dialect?: Dialect | DialectName | undefined
  /** How many requests the log keeps. @default 1000 */
  requestLogLimit?: number | undefined
}

/** A running emulator. */
export interface Emulator {
  /** The service whose wire format it uses. */
  face: FaceName
  /** The base URL for a client or an adapter: `http://127.0.0.1:4010/v1`, without `/v1` for other faces. */
  baseUrl: string
  /** Where it listens, such as `http://127.0.0.1:4010`. */
  origin: string
  /** The token that requests must send; `null` if none is required. */
  accessToken: string | null
  /** The text to paste for the first license. */
  licenseKey: string
  /** The options for the face's adapter besides the base URL, such as `{ organizationId, benefitId }`. */
  settings: Readonly<Record<string, string>>
  /** The first license as it was at the start. By default it has 3 seats, is ACTIVE and ends in a year. */
  demoLicense: ShownLicense
  /** Changes licenses, and causes failures. */
  control: EmulatorControl
  /** Closes every connection and stops listening. */
  close(): Promise<void>
}

/**
 * Starts the commerce service on localhost, or another service's wire format for the same licenses.
 *
 * @throws The server's own error if it can't listen, such as `EADDRINUSE`; a TypeError for an invalid option; a
 * ControlError for invalid data.
 * @example
 * ```ts
 * const emulator = await startEmulator()
 * const commerce = createCommerceClient({ baseUrl: emulator.baseUrl, accessToken: 'demo' })
 * await commerce.licenses.activate(emulator.demoLicense.id, { name: 'Laptop' })
 * await emulator.close()
 * ```
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  checkEmulatorOptions(options)
  const {
    port = 0,
    host = '127.0.0.1',
    accessToken = 'demo',
    seed = 1,
    customers = 60,
    discounts = 30,
    dialect = 'default',
    face: faceName = 'commerce',
    rateLimits = false,
    requestLogLimit = 1000,
  } = options
  const clock = createServiceClock()
  const data = createServiceData(clock)
  const initialData =
    typeof seed === 'number'
      ? seededData(seed, { customers, discounts }, clock.nowMs())
      : withDemoLicense(parseInput(emulatorDataSchema, seed), clock.nowMs())
  data.load(initialData)
  const state: ServiceState = { accessToken, dialect: resolveDialect(dialect), clock, data }
  const log = createRequestLog(requestLogLimit)
  const faults = createFaultRules()
  const app = new Hono<ServiceEnv>()
  app.onError((error, context) => {
    // The client disconnected before its request was complete, so the response doesn't matter.
    if (context.env.incoming.destroyed) return new Response(null, { status: 499 })
    throw error
  })
  const listener = await listen(createHttpServer(app), port, host)
  const face = rateLimits ? limitFace(faces[faceName], clock.nowMs) : faces[faceName]
  const control = createControl({ state, face, log, faults, listener, initialData })
  const origin = `http://${host.includes(':') ? `[${host}]` : host}:${listener.port}`
  const baseUrl = `${origin}${face.basePath}`
  const liveParts = { state, log, faults, control, baseUrl, face }
  app.route('/', createServiceApp(face, state, log, faults))
  app.route('/', createLivePage())
  if (face.name === 'commerce') {
    app.get('/openapi.json', (context) => context.json(buildOpenApiDocument(baseUrl)))
  }
  app.route(
    '/_control',
    createControlApp(control, (context) => streamLiveEvents(context, liveParts)),
  )
  const [demoLicense] = control.licenses()
  if (!demoLicense) throw new Error('The data contains no license.')
  return {
    face: face.name,
    baseUrl,
    origin,
    accessToken,
    licenseKey: face.licenseKeyOf(demoLicense.id),
    settings: face.settings,
    demoLicense,
    control,
    close: listener.end,
  }
}

function createHttpServer(app: Hono<ServiceEnv>): Server {
  // Clients keep connections open for longer than Node's 5 s. Closing them first would look like a fault.
  return createServer(
    { keepAliveTimeout: 65_000 },
    // Replacing the global Request would affect the fetch of the program under test.
    getRequestListener((request, env) => app.fetch(request, env), { overrideGlobalObjects: false }),
  )
}
