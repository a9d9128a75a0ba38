import { createServer, type Server } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { createControl, type EmulatorControl, inOneYear } from './control/control.ts'
import { createControlApp } from './control/control-app.ts'
import type { Dialect } from './dialects/dialect.ts'
import { type DialectName, resolveDialect } from './dialects/dialects.ts'
import { createFaultRules } from './faults/fault-rules.ts'
import { listen } from './listener.ts'
import { createRequestLog } from './request-log.ts'
import { createSeededRandom } from './seeded-random.ts'
import { basePath, createServiceApp, type ServiceEnv } from './service/service-app.ts'
import type { ServiceState } from './service/service-state.ts'
import { listOf } from './store/item-list.ts'
import { createLicenseStore } from './store/license-store.ts'
import { createServiceClock } from './timestamps.ts'

/** How an emulator starts. */
export interface EmulatorOptions {
  /** 0 takes any free one. @default 0 */
  port?: number | undefined
  /** The address to listen on. @default '127.0.0.1' */
  host?: string | undefined
  /** The token requests have to carry; `null`: none is asked for. @default 'demo' */
  accessToken?: string | null | undefined
  /** The same seed gives the same data. @default 1 */
  seed?: number | undefined
  /** How the service behaves where the interface leaves it open. @default 'default' */
  dialect?: Dialect | DialectName | undefined
  /** How many requests the log keeps. @default 1000 */
  requestLogLimit?: number | undefined
}

/** A running emulator. */
export interface Emulator {
  /** What a client takes as its base URL: `http://127.0.0.1:4010/v1`. */
  baseUrl: string
  /** `http://127.0.0.1:4010` */
  origin: string
  accessToken: string | null
  /** The license that is always there: 3 seats, ACTIVE, a year to go. Its `id` is the license key to paste. */
  demoLicense: { id: string; activation_limit: number }
  control: EmulatorControl
  /** Closes every connection and stops listening. */
  close(): Promise<void>
}

/**
 * Starts the commerce service on localhost.
 *
 * @throws The server's own error when it cannot listen, such as `EADDRINUSE`.
 * @example
 * ```ts
 * const emulator = await startEmulator()
 * const commerce = createCommerceClient({ baseUrl: emulator.baseUrl, accessToken: 'demo' })
 * await commerce.licenses.activate(emulator.demoLicense.id, { name: 'Laptop' })
 * await emulator.close()
 * ```
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const {
    port = 0,
    host = '127.0.0.1',
    accessToken = 'demo',
    seed = 1,
    dialect = 'default',
    requestLogLimit = 1000,
  } = options
  const clock = createServiceClock()
  const initialDialect = resolveDialect(dialect)
  const state: ServiceState = {
    accessToken,
    dialect: initialDialect,
    clock,
    licenses: createLicenseStore(clock),
    customers: listOf([]),
    discounts: listOf([]),
  }
  const demoLicense = { id: demoLicenseId(seed), activation_limit: 3 }
  const restoreData = (): void => {
    state.licenses.replaceAll([])
    control.createLicense({ ...demoLicense, expires_at: inOneYear(clock.nowMs()) })
  }
  const log = createRequestLog(requestLogLimit)
  const faults = createFaultRules()
  const app = new Hono<ServiceEnv>()
  const server = createHttpServer(app)
  const listener = await listen(server, port, host)
  const control = createControl({ state, log, faults, listener, restoreData, initialDialect })
  restoreData()
  app.route('/', createServiceApp(state, log, faults))
  app.route('/_control', createControlApp(control))
  const origin = `http://${host.includes(':') ? `[${host}]` : host}:${listener.port}`
  return { baseUrl: `${origin}${basePath}`, origin, accessToken, demoLicense, control, close: listener.end }
}

/** The demo license's id: the same for the same seed, so that documents can name it. */
export function demoLicenseId(seed: number): string {
  return createSeededRandom(seed, 0, 0).uuid()
}

function createHttpServer(app: Hono<ServiceEnv>): Server {
  // Clients keep connections for longer than Node's 5 s: closing first would look like a fault.
  return createServer(
    { keepAliveTimeout: 65_000 },
    // Replacing the global Request would change the fetch of the program under test.
    getRequestListener((request, env) => app.fetch(request, env), { overrideGlobalObjects: false }),
  )
}
