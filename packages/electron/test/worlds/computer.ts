import type { LeaseKey } from '@latchkey/gateway'
import type { RecordRules as LicensingRules } from '../../src/core/device-record.ts'
import type { SecretsPort, StorePort } from '../../src/core/ports.ts'
import type { LicensingState } from '../../src/shared/licensing-state.ts'
import { defaultRules } from '../core/fixture.ts'
import { startCore, type TestedCore } from '../core/start-core.ts'
import { createAppService } from '../doubles/app-service.ts'
import { createFakeClock, type FakeClock } from '../doubles/fake-clock.ts'
import { createFakeDevice } from '../doubles/fake-device.ts'
import { createFakeSecrets } from '../doubles/fake-secrets.ts'
import { createMemoryStore } from '../doubles/memory-store.ts'
import { createRecordingLogger, type RecordingLogger } from '../doubles/recording-logger.ts'

/** A computer with the app and its own clock. */
export interface Computer {
  readonly core: TestedCore
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
  let core: TestedCore | null = null

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

  function begin(): TestedCore {
    const ports = { service, leases, store, device, clock, secrets, logger }
    const next = startCore(ports, { ...defaultRules, ...options.rules })
    next.subscribe((state) => {
      if (core === next) states.push(state)
    })
    core = next
    return next
  }

  const current = (): TestedCore => core ?? begin()

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
