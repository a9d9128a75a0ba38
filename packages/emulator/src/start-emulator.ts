import { createServer, type Server } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { checkOptions } from '@latchkey/commerce/options'
import { Hono } from 'hono'
import * as z from 'zod/mini'
import { createControl, type EmulatorControl, type ShownLicense } from './control/control.ts'
import { createControlApp } from './control/control-app.ts'
import { parseInput } from './control/input.ts'
import { emulatorDataSchema } from './data/data-schema.ts'
import { createServiceData, type EmulatorData, seededData, withDemoLicense } from './data/service-data.ts'
import { createFaultRules } from './faults/fault-rules.ts'
import { type DialectChanges, dialectChangesSchema, resolveDialect } from './formats/dialect.ts'
import { type FormatName, formatNames, type ServiceState } from './formats/format.ts'
import { formats, withRateLimit } from './formats/formats.ts'
import { listen } from './listener.ts'
import { createLivePage, liveContent } from './live-page.ts'
import { buildOpenApiDocument } from './openapi.ts'
import { createRequestLog } from './request-log.ts'
import { createServiceApp, type ServiceEnv } from './service-app.ts'
import { createServiceClock } from './timestamps.ts'

/** Options of an emulator. */
export interface EmulatorOptions {
  /** 0 uses any free port. @default 0 */
  port?: number | undefined
  /** The address to listen on. @default '127.0.0.1' */
  host?: string | undefined
  /** The token that requests must send; `null`: none is required. @default null */
  accessToken?: string | null | undefined
  /** A seed number, which always gives the same data, or the data itself. @default 1 */
  seed?: number | EmulatorData | undefined
  /** Number of customers to generate from the seed. @default 60 */
  customers?: number | undefined
  /** Number of discounts to generate from the seed. @default 30 */
  discounts?: number | undefined
  /** The service whose wire format to use. @default 'commerce' */
  face?: FormatName | undefined
  /** Whether to limit requests like the real service, if its limit is known (Lemon Squeezy, Polar). @default false */
  rateLimits?: boolean | undefined
  /** How the service behaves where the interface leaves it open, such as `{ refusalBody: 'text' }`. @default {} */
  dialect?: DialectChanges | undefined
  /** How many requests the log keeps. @default 1000 */
  requestLogLimit?: number | undefined
  /** Gets a line about each request whose token is refused. @default none */
  log?: ((line: string) => void) | undefined
}

/** A running emulator. */
export interface Emulator {
  /** The service whose wire format it uses. */
  face: FormatName
  /** The base URL for a client or an adapter: `http://127.0.0.1:4010/v1`, without `/v1` for other services. */
  baseUrl: string
  /** Where it listens, such as `http://127.0.0.1:4010`. */
  origin: string
  /** The token that requests must send; `null` if none is required. */
  accessToken: string | null
  /** The text to paste for the first license. */
  licenseKey: string
  /** The options for the service's adapter besides the base URL, such as `{ organizationId, benefitId }`. */
  settings: Readonly<Record<string, string>>
  /** The first license as it was at the start. By default it has 3 seats, is ACTIVE and ends in a year. */
  demoLicense: ShownLicense
  /** Changes licenses, and causes failures. */
  control: EmulatorControl
  /** Closes every connection and stops listening. */
  close(): Promise<void>
}

const count = z.optional(z.int().check(z.nonnegative()))

/** The port is checked by Node, the data and the dialect's fields where they are read. */
const optionsSchema = z.strictObject({
  port: z.optional(z.unknown()),
  host: z.optional(z.string()),
  accessToken: z.optional(
    z.nullable(z.string().check(z.minLength(1, 'is empty: to require no token, use null'))),
  ),
  seed: z.optional(
    z.union([z.number(), z.looseObject({})], 'must be a number or the data itself, not the name of a file'),
  ),
  customers: count,
  discounts: count,
  face: z.optional(z.enum(formatNames)),
  rateLimits: z.optional(z.boolean()),
  dialect: z.optional(dialectChangesSchema),
  requestLogLimit: z.optional(z.number().check(z.nonnegative())),
  log: z.optional(
    z.custom<EmulatorOptions['log']>((value) => typeof value === 'function', 'must be a function'),
  ),
})

/** What to use instead of a name that the command line has, or the clients. */
const hints = {
  noToken: ': without accessToken, none is required',
  token: ': use accessToken',
  data: ': pass the data itself as seed',
  save: ': write control.dumpData() to a file',
  baseUrl: ': use host and port',
}

/**
 * Starts the commerce service on localhost, or another service's wire format for the same licenses.
 *
 * @throws The server's own error if it can't listen, such as `EADDRINUSE`; a TypeError for invalid options; a
 * ControlError for invalid data or a dialect's unknown field.
 * @example
 * ```ts
 * const emulator = await startEmulator()
 * const commerce = createCommerceClient({ baseUrl: emulator.baseUrl })
 * await commerce.licenses.activate(emulator.demoLicense.id, { name: 'Laptop' })
 * await emulator.close()
 * ```
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  checkOptions('startEmulator', optionsSchema, options, { hints })
  const {
    port = 0,
    host = '127.0.0.1',
    accessToken = null,
    seed = 1,
    customers = 60,
    discounts = 30,
    dialect = {},
    face = 'commerce',
    rateLimits = false,
    requestLogLimit = 1000,
    log: writeLine = () => {},
  } = options
  const clock = createServiceClock()
  const data = createServiceData(clock)
  const initialData =
    typeof seed === 'number'
      ? seededData(seed, { customers, discounts }, clock.nowMs())
      : withDemoLicense(parseInput('seed', emulatorDataSchema, seed), clock.nowMs())
  data.load(initialData)
  const state: ServiceState = { accessToken, dialect: resolveDialect(dialect), clock, data }
  const log = createRequestLog(requestLogLimit, writeLine)
  const faults = createFaultRules()
  const app = new Hono<ServiceEnv>()
  app.onError((error, context) => {
    // The client disconnected before its request was complete, so the response doesn't matter.
    if (context.env.incoming.destroyed) return new Response(null, { status: 499 })
    throw error
  })
  const listener = await listen(createHttpServer(app), port, host)
  const format = rateLimits ? withRateLimit(formats[face], clock.nowMs) : formats[face]
  const control = createControl({ state, format, log, faults, listener, initialData })
  const origin = `http://${host.includes(':') ? `[${host}]` : host}:${listener.port}`
  const baseUrl = `${origin}${format.basePath}`
  app.route('/', createServiceApp(format, state, log, faults))
  app.route('/', createLivePage())
  if (face === 'commerce') {
    app.get('/openapi.json', (context) => context.json(buildOpenApiDocument(baseUrl)))
  }
  const live = (): object => liveContent(control, state, format, baseUrl)
  app.route('/_control', createControlApp(control, live))
  const [demoLicense] = control.licenses()
  if (!demoLicense) throw new Error('The data contains no license.')
  return {
    face,
    baseUrl,
    origin,
    accessToken,
    licenseKey: format.licenseKeyOf(demoLicense.id),
    settings: format.settings,
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
