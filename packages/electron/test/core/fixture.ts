import { type Emulator, type License, type LicenseInput, startEmulator } from '@latchkey/emulator'
import type { ActivationList, LicenseService } from '@latchkey/services'
import { commerce } from '@latchkey/services/commerce'
import { afterAll, beforeEach } from 'vitest'
import type { RecordRules as LicensingRules } from '../../src/core/device-record.ts'
import { createLicensingCore, type LicensingCore } from '../../src/core/licensing.ts'
import type { ClockPort, LeasePort, LockPort, OfflinePort, ProvidedKey } from '../../src/core/ports.ts'
import type { LicenseRecord } from '../../src/core/record.ts'
import type { LicensingState } from '../../src/shared/licensing-state.ts'
import { createFakeClock, type FakeClock } from '../doubles/fake-clock.ts'
import { createFakeDevice, type FakeDevice, type FakeDeviceOptions } from '../doubles/fake-device.ts'
import { createFakeSecrets, type FakeSecrets } from '../doubles/fake-secrets.ts'
import { createMemoryStore, type MemoryStore } from '../doubles/memory-store.ts'
import { createRecordingLogger, type RecordingLogger } from '../doubles/recording-logger.ts'
import { unavailable } from '../doubles/scripted-service.ts'
import { withCall, wrapCalls } from '../doubles/with-call.ts'
import {
  createServiceModel,
  type Fate,
  type ModelLicense,
  type ModelOperation,
  type ServiceModel,
} from './service-model.ts'

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
  readonly control: Emulator['control']
  newLicense(input?: LicenseInput): License
  /** A new license, and a device that has activated it. */
  activated(
    input?: LicenseInput,
    options?: TestDeviceOptions,
  ): Promise<{ readonly license: License; readonly licenseId: string; readonly device: TestDevice }>
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
  const service: TestService = {
    emulator,
    control,
    newLicense: (input) => control.createLicense(input),
    async activated(input, deviceOptions) {
      const license = control.createLicense(input)
      const device = createTestDevice(service, deviceOptions)
      await device.launch()
      await device.core.activate(license.id)
      await device.settled()
      return { license, licenseId: license.id, device }
    },
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
  return service
}

/** The emulator of a test file. Each test finds it without faults, and with no request noted. */
export async function serviceForTests(options?: Parameters<typeof startEmulator>[0]): Promise<TestService> {
  const service = await startTestService(options)
  beforeEach(() => service.control.reset())
  afterAll(() => service.emulator.close())
  return service
}

/** A computer with the app installed. Its files remain after each launch. */
export interface TestDevice {
  /** The core of the current launch. */
  readonly core: LicensingCore
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
  /** The record on disk. Fails if the file can't be opened. */
  recordOnDisk(): Promise<LicenseRecord>
  /** What the app would show after a restart without a network. */
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
  let current: { core: LicensingCore; states: LicensingState[]; die: () => void } | null = null

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

  function begin(): LicensingCore {
    current?.die()
    clock.restart()
    const life = createLife()
    const core = createLicensingCore(
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

  function core(): LicensingCore {
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

/** A promise that a test resolves. */
export function signal(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve = (): void => {}
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve: () => resolve() }
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

/** What an app shows that starts offline with these files. */
export interface DiskLook {
  /** The state before the first check. */
  readonly state: LicensingState
  /** The support report at that time. */
  readonly report: readonly string[]
  /** An activation that waits to be sent or answered. */
  readonly pending: 'none' | 'not sent' | 'sent'
  /** How many seats wait to be freed. */
  readonly owed: number
  /** When the license was last confirmed, in milliseconds since the epoch; `null` if it never was. */
  readonly validAtMs: number | null
  /** Whether the files opened. A file that doesn't is set aside. */
  readonly isReadable: boolean
}

/** Starts a second core on a copy of the files, without a network. */
export async function lookAtDisk(options: {
  readonly store: MemoryStore
  readonly secrets: FakeSecrets
  /** The wall clock, in milliseconds since the epoch. */
  readonly nowMs: number
  readonly rules: LicensingRules
  readonly service?: LicenseService | undefined
  readonly device?: FakeDevice
}): Promise<DiskLook> {
  const { secrets, rules } = options
  const store = createMemoryStore(options.store.texts)
  const core = createLicensingCore(
    {
      service: unreachable(options.service ?? commerce({ baseUrl: 'https://service.example/v1' })),
      store,
      secrets,
      device: options.device ?? createFakeDevice(),
      clock: createFakeClock({ startMs: options.nowMs }),
      logger: createRecordingLogger(),
      whenPainted: () => new Promise(() => {}),
    },
    rules,
  )
  const state = await core.start()
  const report = core.diagnose()
  await core.dispose()
  const pending = lineOf(report, 'pending activation') ?? 'none'
  const validAt = lineOf(report, 'last valid answer')
  return {
    state,
    report,
    pending: pending === 'none' ? 'none' : pending.endsWith('not sent') ? 'not sent' : 'sent',
    owed: Number(lineOf(report, 'seats waiting to be freed')),
    validAtMs: validAt === null ? null : Date.parse(validAt),
    isReadable: store.setAsideTexts.length === 0,
  }
}

function lineOf(report: readonly string[], name: string): string | null {
  return report.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? null
}

/** The same service without a network. */
function unreachable(service: LicenseService): LicenseService {
  return wrapCalls(service, async () => unavailable('network', { mayHaveActed: false }))
}

/** A running device, and a small service whose answers the test defines. */
export interface Scene {
  readonly model: ServiceModel
  readonly license: ModelLicense
  readonly device: TestDevice
  /** The service as every device reaches it. */
  readonly service: LicenseService
  /** What happens to the next requests of an operation, and to all others if `every` is set. */
  readonly fates: Partial<Record<ModelOperation, Fate[]>> & { every?: Fate }
  /** The requests, oldest first. */
  readonly asked: ModelOperation[]
  /** When the device validated its license, in milliseconds since it was launched. */
  readonly checkedAtMs: number[]
  /** Another instance of the app, which shares its files unless the options say otherwise. */
  secondInstance(options?: TestDeviceOptions): TestDevice
  /** Sets the computer's clock. The service's stays right. */
  setClock(byMs: number): void
}

/** What a scene starts with. */
export interface SceneOptions extends TestDeviceOptions {
  /** How many seats the license has. @default 3 */
  readonly seats?: number
  /** When the license ends, in milliseconds from now. @default never */
  readonly endsInMs?: number | null
  /** Whether the device has activated the license. @default false */
  readonly isActivated?: boolean
  /** What happens to the next requests. */
  readonly fates?: Scene['fates']
  /** Changes the service. */
  readonly wrap?: (service: LicenseService) => LicenseService
}

export async function scene(options: SceneOptions = {}): Promise<Scene> {
  const { seats = 3, endsInMs = null, isActivated = false, wrap = (reached) => reached } = options
  const fates: Scene['fates'] = {}
  const asked: ModelOperation[] = []
  const checkedAtMs: number[] = []
  let clockErrorMs = 0
  const model = createServiceModel(() => device.clock.now() - clockErrorMs)
  const service = wrap(
    model.reachedBy((operation) => {
      asked.push(operation)
      if (operation === 'validate') checkedAtMs.push(device.clock.monotonic())
      return fates[operation]?.shift() ?? fates.every ?? { kind: 'served' }
    }),
  )
  const device: TestDevice = createTestDevice(null, { ...options, service })
  const license = model.addLicense(seats)
  // A whole second, as services write it.
  if (endsInMs !== null) license.expiresAtMs = Math.ceil(device.clock.now() / 1000) * 1000 + endsInMs
  await device.launch()
  if (isActivated) await device.core.activate(license.id)
  Object.assign(fates, options.fates)
  return {
    model,
    license,
    device,
    service,
    fates,
    asked,
    checkedAtMs,
    secondInstance: (own) =>
      createTestDevice(null, { ...options, store: device.store, secrets: device.secrets, ...own, service }),
    setClock(byMs) {
      device.clock.jump(byMs)
      clockErrorMs += byMs
    },
  }
}

/** The same service with another list. */
export function relisted(
  service: LicenseService,
  change: (list: ActivationList) => ActivationList,
): LicenseService {
  return {
    ...service,
    async listActivations(request, call) {
      const answer = await service.listActivations?.(request, call)
      if (answer === undefined) throw new TypeError('The service has no list')
      return answer.kind === 'answer' ? { ...answer, value: change(answer.value) } : answer
    },
  }
}

/** An answer with this status. One that isn't JSON comes from a proxy. */
export const says = (status: number, isJson = true): Fate => ({ kind: 'status', status, isJson })
/** The request never arrives. */
export const lost: Fate = { kind: 'request-lost' }
/** The request arrives, and so does its answer. */
export const served: Fate = { kind: 'served' }
/** The service acts, and its answer is lost. */
export const answerLost: Fate = { kind: 'answer-lost' }
/** The service gives a seat, its answer is lost, and the list can't be read afterwards. */
export const unanswered = (): Scene['fates'] => ({ activate: [answerLost], keys: [served, lost] })
/** The same for any number of requests. */
export const always = (fate: Fate): Fate[] => Array.from({ length: 1000 }, () => fate)
