import { type Emulator, type License, type LicenseInput, startEmulator } from '@latchkey/emulator'
import type { LicenseService } from '@latchkey/services'
import { commerce } from '@latchkey/services/commerce'
import type { RecordRules as LicensingRules } from '../../src/core/device-record.ts'
import type { ClockPort, LeasePort, LockPort, OfflinePort, ProvidedKey } from '../../src/core/ports.ts'
import type { LicenseRecord } from '../../src/core/record.ts'
import type { LicensingState } from '../../src/shared/licensing-state.ts'
import { createFakeClock, type FakeClock } from '../doubles/fake-clock.ts'
import { createFakeDevice, type FakeDevice, type FakeDeviceOptions } from '../doubles/fake-device.ts'
import { createFakeSecrets, type FakeSecrets } from '../doubles/fake-secrets.ts'
import { createMemoryStore, type MemoryStore } from '../doubles/memory-store.ts'
import { createRecordingLogger, type RecordingLogger } from '../doubles/recording-logger.ts'
import { withCall } from '../doubles/with-call.ts'
import { type DiskLook, lookAtDisk } from './look-at-disk.ts'
import { startCore, type TestedCore } from './start-core.ts'

export const secondMs: number = 1000
export const minuteMs: number = 60_000
export const hourMs: number = 60 * minuteMs
export const dayMs: number = 24 * hourMs

/** The default rules. */
export const defaultRules: LicensingRules = {
  graceMs: 14 * dayMs,
  renewalGraceMs: 3 * dayMs,
  trialMs: 0,
  recheckMs: dayMs,
}

/** The emulator, with one license per test so that tests don't affect each other. */
export interface TestService {
  readonly emulator: Emulator
  newLicense(input?: LicenseInput): License
  /** The requests about a license, in order: `validate`, or `validate 404` if it was refused. */
  asked(licenseId: string): readonly string[]
  /** Names of the devices on a license, oldest first. */
  seats(licenseId: string): readonly string[]
}

export async function startTestService(
  options: Parameters<typeof startEmulator>[0] = {},
): Promise<TestService> {
  const emulator = await startEmulator({ accessToken: 'demo', requestLogLimit: 100_000, ...options })
  const { control } = emulator
  return {
    emulator,
    newLicense: (input) => control.createLicense(input),
    asked: (licenseId) =>
      control
        .requests()
        .filter((request) => request.path.includes(licenseId))
        .map(({ operation, status }) => {
          const isRefused = status === null || status >= 300
          return isRefused ? `${operation} ${status ?? 'cut'}` : String(operation)
        }),
    seats: (licenseId) => control.keys(licenseId).map((key) => key.name),
  }
}

/** A computer with the app installed. Its files remain after each launch. */
export interface TestDevice {
  /** The core of the current launch. */
  readonly core: TestedCore
  readonly state: LicensingState
  /** Every state that the current launch published, oldest first. */
  readonly states: readonly LicensingState[]
  readonly clock: FakeClock
  readonly store: MemoryStore
  readonly secrets: FakeSecrets
  readonly device: FakeDevice
  readonly logger: RecordingLogger
  /** Kills the app and launches it again. Resolves with the state decided from disk. */
  decide(): Promise<LicensingState>
  /** The same, but after the check of the launch. */
  launch(): Promise<LicensingState>
  /** Quits the app. */
  quit(): Promise<void>
  /** Ends the launch like `kill -9`: pending promises never settle. */
  kill(): void
  /** Waits until nothing is in progress. */
  settled(): Promise<LicensingState>
  /** Lets time pass here and at the service, and runs timers that become due. */
  elapse(ms: number): Promise<void>
  /** How far the service's clock has advanced, in milliseconds. */
  elapsedMs(): number
  /** Lets the computer sleep while time passes at the service. */
  sleep(ms: number): void
  /** What the app would show after a restart without a network. */
  /** The record on disk. Fails if the file can't be opened. */
  recordOnDisk(): Promise<LicenseRecord>
  lookAtDisk(): Promise<DiskLook>
}

/** Options of a device. */
export interface TestDeviceOptions {
  readonly rules?: Partial<LicensingRules>
  readonly device?: FakeDeviceOptions
  readonly store?: MemoryStore
  readonly secrets?: FakeSecrets
  /** Time limit of a request, in milliseconds. */
  readonly timeoutMs?: number
  /** Replaces the service. */
  readonly service?: LicenseService
  /** Set if answers are signed. */
  readonly leases?: LeasePort
  /** Set if computers without internet can be activated. */
  readonly offline?: () => Promise<OfflinePort>
  /** Set if an administrator may provide a license key. */
  readonly findProvided?: () => Promise<ProvidedKey | null>
  /** Set if another process uses the same record. */
  readonly lock?: { port(clock: ClockPort): LockPort }
  /** When the app's window has been painted. @default at once */
  readonly whenPainted?: () => Promise<void>
}

/** @param service `null` if `options` replace it. */
export function createTestDevice(service: TestService | null, options: TestDeviceOptions = {}): TestDevice {
  const clock = createFakeClock({ startMs: Date.now() })
  const store = options.store ?? createMemoryStore()
  const secrets = options.secrets ?? createFakeSecrets()
  const device = createFakeDevice(options.device)
  const logger = createRecordingLogger()
  const rules = { ...defaultRules, ...options.rules }
  let elapsedMs = 0
  let current: { core: TestedCore; states: LicensingState[]; die: () => void } | null = null

  const reached =
    options.service ??
    withCall(
      commerce({
        baseUrl: service?.emulator.baseUrl ?? 'http://127.0.0.1:1',
        accessToken: service?.emulator.accessToken ?? undefined,
      }),
      () => ({
        timeoutMs: options.timeoutMs ?? 10_000,
        fetch: async (request, init) => withDate(await fetch(request, init), elapsedMs),
      }),
    )

  function begin(): TestedCore {
    current?.die()
    clock.restart()
    const life = createLife()
    const core = startCore(
      {
        service: life.bind(reached),
        store: life.bind(store),
        device: life.bind(device),
        secrets: life.bind(secrets),
        clock,
        leases: options.leases,
        offline: options.offline,
        findProvided: options.findProvided,
        lock: options.lock?.port(clock),
        logger: life.bind(logger),
        whenPainted: options.whenPainted,
      },
      rules,
    )
    const states: LicensingState[] = []
    core.subscribe((state) => states.push(state))
    current = { core, states, die: life.die }
    return core
  }

  function core(): TestedCore {
    return current?.core ?? begin()
  }

  async function settled(): Promise<LicensingState> {
    do await new Promise<void>((resolve) => setImmediate(resolve))
    while (core().state.activity !== 'idle')
    return core().state
  }

  return {
    get core() {
      return core()
    },
    get state() {
      return core().state
    },
    get states() {
      core()
      return current?.states ?? []
    },
    clock,
    store,
    secrets,
    device,
    logger,
    decide: () => begin().start(),
    async launch() {
      await begin().start()
      return settled()
    },
    async quit() {
      await core().dispose()
      current?.die()
    },
    kill() {
      current?.die()
    },
    settled,
    async elapse(ms) {
      for (let leftMs = ms; leftMs > 0; ) {
        const stepMs = Math.min(leftMs, Math.max(1, clock.waiting[0] ?? leftMs))
        elapsedMs += stepMs
        await clock.advance(stepMs)
        await settled()
        leftMs -= stepMs
      }
    },
    elapsedMs: () => elapsedMs,
    sleep(ms) {
      elapsedMs += ms
      clock.sleep(ms)
    },
    async recordOnDisk() {
      const { tier, sealed } = JSON.parse(store.texts.newest ?? '{}')
      const text = await secrets.open(tier, sealed)
      if (text === null) throw new Error('The file on disk does not open')
      return JSON.parse(text)
    },
    lookAtDisk: () => lookAtDisk({ store, secrets, device, rules, service: reached, nowMs: clock.now() }),
  }
}

/** The service's clock advances with the device's when the test lets time pass. */
export function withDate(response: Response, elapsedMs: number): Response {
  const headers = new Headers(response.headers)
  const date = headers.get('date')
  if (date !== null) headers.set('date', new Date(Date.parse(date) + elapsedMs).toUTCString())
  return new Response(response.body, { status: response.status, headers })
}

/** A process. After it is killed, its calls have no effect and never settle. */
function createLife(): { bind<Port extends object>(port: Port): Port; die(): void } {
  let isDead = false
  const forever = new Promise<never>(() => {})
  return {
    die() {
      isDead = true
    },
    bind: (port) =>
      new Proxy(port, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name)
          if (typeof value !== 'function') return value
          return (...args: readonly unknown[]) => {
            if (isDead) return forever
            const outcome: unknown = Reflect.apply(value, target, args)
            if (!(outcome instanceof Promise)) return outcome
            return outcome.then(
              (settled) => (isDead ? forever : settled),
              (error: unknown) => (isDead ? forever : Promise.reject(error)),
            )
          }
        },
      }),
  }
}
