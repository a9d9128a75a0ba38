import { createGateway, generateSigningKey, type LeaseKey, leaseKeysOf } from '@latchkey/gateway'
import type { RecordRules as LicensingRules } from '../../src/core/device-record.ts'
import { createLicensingCore, type LicensingCore } from '../../src/core/licensing.ts'
import type { SecretsPort, StorePort } from '../../src/core/ports.ts'
import type { LicensingState } from '../../src/shared/licensing-state.ts'
import { defaultRules } from '../core/fixture.ts'
import { createAppService } from '../doubles/app-service.ts'
import { createFakeClock, type FakeClock } from '../doubles/fake-clock.ts'
import { createFakeDevice } from '../doubles/fake-device.ts'
import { createFakeSecrets } from '../doubles/fake-secrets.ts'
import { createMemoryStore } from '../doubles/memory-store.ts'
import { createRecordingLogger, type RecordingLogger } from '../doubles/recording-logger.ts'
import { answerOf, type Box } from './box.ts'
import { type Dialect, responseOf } from './dialect.ts'
import { createForeignService, type ForeignService } from './foreign-service.ts'

/** Where the broken proxy is: `app` in front of the app, `upstream` in front of the service. */
export type Place = 'app' | 'upstream'

/** What is between app and service. */
export type Path = 'direct' | 'gateway' | 'leases'

/** A service, a network and computers with a common time. */
export interface Surroundings {
  readonly service: ForeignService
  readonly nowMs: number
  /** The broken proxy. `null` if requests get through. */
  readonly boxes: Record<Place, Box | null>
  /** What connects a computer to the service. */
  readonly connection: Pick<ComputerOptions, 'fetch' | 'leaseKeys'>
  computer(options?: Partial<ComputerOptions>): Computer
  /** Lets time pass everywhere, and runs timers that become due. */
  elapse(ms: number): Promise<void>
}

const startMs = Date.parse('2026-11-01T12:00:00Z')

export async function createSurroundings(path: Path, dialect?: Dialect): Promise<Surroundings> {
  let nowMs = startMs
  const boxes: Record<Place, Box | null> = { app: null, upstream: null }
  const service = createForeignService(() => nowMs, dialect)
  const computers: Computer[] = []

  const toService = async (request: Request): Promise<Response> =>
    boxes.upstream === null
      ? service.fetch(request)
      : responseOf(answerOf(boxes.upstream, request.method, nowMs))

  const signingKeys = path === 'leases' ? [await generateSigningKey()] : []
  const gateway =
    path === 'direct'
      ? toService
      : createGateway({
          upstream: { baseUrl: 'https://service.example/v1', accessToken: 'token', fetch: toService },
          ...(path === 'leases' ? { signing: { keys: signingKeys, leaseDays: 14 } } : {}),
          limits: { perLicense: false, perAddress: false },
          clock: () => nowMs,
        })
  const leaseKeys = path === 'leases' ? (await leaseKeysOf(signingKeys)).keys : undefined

  const fromApp = async (request: Request): Promise<Response> =>
    boxes.app === null ? gateway(request) : responseOf(answerOf(boxes.app, request.method, nowMs))
  const connection = { fetch: fromApp, leaseKeys }

  return {
    service,
    boxes,
    connection,
    get nowMs() {
      return nowMs
    },
    computer(options = {}) {
      const computer = createComputer({ ...connection, startMs: nowMs, ...options })
      computers.push(computer)
      return computer
    },
    async elapse(ms) {
      for (let leftMs = ms; leftMs > 0; ) {
        const running = computers.filter(({ isRunning }) => isRunning)
        const due = running.map(({ clock }) => clock.waiting[0] ?? leftMs)
        const stepMs = Math.min(leftMs, ...due.map((dueMs) => Math.max(1, dueMs)))
        nowMs += stepMs
        for (const computer of computers) {
          if (!computer.isRunning) computer.clock.sleep(stepMs)
          else {
            await computer.clock.advance(stepMs)
            await computer.settled()
          }
        }
        leftMs -= stepMs
      }
    },
  }
}

/** A computer with the app and its own clock. */
export interface Computer {
  readonly core: LicensingCore
  readonly state: LicensingState
  readonly clock: FakeClock
  readonly logger: RecordingLogger
  /** Every state of every launch, oldest first. */
  readonly states: readonly LicensingState[]
  readonly isRunning: boolean
  /** Ends the app, starts it again and waits until nothing is in progress. */
  launch(): Promise<LicensingState>
  quit(): Promise<void>
  /** Waits until nothing is in progress. */
  settled(): Promise<LicensingState>
  /** Removes the app and all its files. The computer stays the same. */
  reinstall(): Promise<void>
}

export interface ComputerOptions {
  readonly fetch: (request: Request) => Promise<Response>
  readonly baseUrl?: string
  readonly startMs: number
  readonly rules?: Partial<LicensingRules>
  readonly label?: string
  readonly machineId?: string
  /** The gateway's public keys, if it signs its answers. */
  readonly leaseKeys?: readonly LeaseKey[] | undefined
  /** @default a keychain that always opens */
  readonly secrets?: SecretsPort
  /** Creates the files. Called again after a reinstall. @default files in memory */
  readonly store?: () => StorePort
}

/** Creates a computer on which the app has never run. */
export function createComputer(options: ComputerOptions): Computer {
  const clock = createFakeClock({ startMs: options.startMs })
  const logger = createRecordingLogger()
  const secrets = options.secrets ?? createFakeSecrets()
  const machineId = options.machineId ?? 'machine-one'
  const device = createFakeDevice({ machineId, label: options.label ?? 'Work laptop' })
  const states: LicensingState[] = []
  const newStore = options.store ?? createMemoryStore
  let store = newStore()
  let underWay = 0
  let core: LicensingCore | null = null

  const { service, leases } = createAppService({
    baseUrl: options.baseUrl ?? 'https://licenses.vendor.example/v1',
    // The token of a service; a gateway ignores it.
    accessToken: options.leaseKeys === undefined ? 'token' : undefined,
    leaseKeys: options.leaseKeys,
    fetch: (request, init) => options.fetch(new Request(request, init)),
    count: (change) => {
      underWay += change
    },
  })

  function begin(): LicensingCore {
    const ports = { service, leases, store, device, clock, secrets, logger }
    const next = createLicensingCore(ports, { ...defaultRules, ...options.rules })
    next.subscribe((state) => {
      if (core === next) states.push(state)
    })
    core = next
    return next
  }

  const current = (): LicensingCore => core ?? begin()

  async function settled(): Promise<LicensingState> {
    for (let quietTurns = 0; quietTurns < 3; ) {
      await new Promise<void>((resolve) => setImmediate(resolve))
      quietTurns = underWay === 0 && current().state.activity === 'idle' ? quietTurns + 1 : 0
    }
    return current().state
  }

  async function quit(): Promise<void> {
    if (core === null) return
    await core.dispose()
    core = null
    clock.restart()
  }

  return {
    get core() {
      return current()
    },
    get state() {
      return current().state
    },
    get isRunning() {
      return core !== null
    },
    clock,
    logger,
    states,
    async launch() {
      await quit()
      states.push(await begin().start())
      return settled()
    },
    quit,
    settled,
    async reinstall() {
      await quit()
      store = newStore()
    },
  }
}
