// Loaded with the first request otherwise, which takes more turns than any step of a process.
import '@latchkey/commerce/client'
import * as fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import { createLicensingCore, type LicensingCore } from '../../src/core/licensing.ts'
import { defaultRules } from '../core/fixture.ts'
import { createAppService } from '../doubles/app-service.ts'
import { createFakeClock } from '../doubles/fake-clock.ts'
import { createFakeDevice } from '../doubles/fake-device.ts'
import { createFakeSecrets } from '../doubles/fake-secrets.ts'
import { createMemoryStore, type MemoryStore } from '../doubles/memory-store.ts'
import { createRecordingLogger } from '../doubles/recording-logger.ts'
import { createSharedLock } from '../doubles/shared-lock.ts'
import { skipWaitsBeforeRetries } from '../doubles/skip-waits.ts'
import { createForeignService } from './foreign-service.ts'

const isLong = process.env['LATCHKEY_LONG'] === '1'
const seed = Number(process.env['LATCHKEY_SEED'] ?? 20_261_121)
const hourMs = 3_600_000
const startMs = Date.parse('2026-11-01T12:00:00Z')

/** What one of the two processes does, in order. */
type Deed =
  | 'activate'
  | 'activate-other'
  | 'deactivate'
  | 'validate'
  /** A check that runs in parallel with the next steps. */
  | 'validate-meanwhile'
  | 'hour'
  | 'quit'

/** Which waiting step continues: by position, or the oldest or newest of one process if it has any. */
type Choice = number | { readonly who: 0 | 1; readonly isNewest: boolean }

/** Lets one `await` of one process continue at a time. */
interface Scheduler {
  /** Waits until this process may continue. */
  turn(owner: string): Promise<void>
  /** Wraps a port so that each of its promises waits for its turn, before it acts and before it answers. */
  bind<Port extends object>(owner: string, port: Port): Port
  readonly waiting: number
  /** Whether a step waits that the choice refers to. */
  has(choice: Choice): boolean
  /** Lets the chosen step continue. */
  go(choice: Choice): void
  /** How many awaits there were. */
  readonly count: number
}

function createScheduler(): Scheduler {
  const waiting: { readonly owner: string; readonly resolve: () => void }[] = []
  let count = 0
  const turn = (owner: string): Promise<void> =>
    new Promise((resolve) => {
      count += 1
      waiting.push({ owner, resolve })
    })
  const placeOf = (choice: Choice): number => {
    if (typeof choice === 'number') return choice % waiting.length
    const isOwn = ({ owner }: { readonly owner: string }): boolean => owner === String(choice.who)
    return choice.isNewest ? waiting.findLastIndex(isOwn) : waiting.findIndex(isOwn)
  }
  return {
    turn,
    bind: (owner, port) =>
      new Proxy(port, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name)
          if (typeof value !== 'function') return value
          return (...args: readonly unknown[]) => {
            if (!isAsync(name)) return Reflect.apply(value, target, args)
            return turn(owner)
              .then(() => Reflect.apply(value, target, args))
              .then((outcome: unknown) => turn(owner).then(() => outcome))
          }
        },
      }),
    get waiting() {
      return waiting.length
    },
    has: (choice) => placeOf(choice) >= 0,
    go(choice) {
      const [next] = waiting.splice(placeOf(choice), 1)
      next?.resolve()
    },
    get count() {
      return count
    },
  }
}

/** Calls that return at once can't be interrupted. */
const immediate = new Set<string | symbol>([
  'read',
  'authenticate',
  'verify',
  'setAside',
  'readSetAside',
  'onAnswer',
  'isAnswerAwaited',
  'end',
  'findLicenseKey',
])
const isAsync = (name: string | symbol): boolean => !immediate.has(name)

/** Files that another process can change between reading and replacing them, as on a real disk. */
function withGap(files: MemoryStore, turn: () => Promise<void>): MemoryStore {
  return {
    ...files,
    async write(document, mayReplace = () => true, onReplaced) {
      if (!mayReplace()) return { ok: true }
      await turn()
      return files.write(document, () => true, onReplaced)
    },
  }
}

interface Plan {
  /** Whether the folder takes a lock file. @default true */
  readonly isLocked?: boolean
  readonly isActivated: boolean
  /** Whether the service is unreachable while both are running. */
  readonly isOffline: boolean
  readonly one: readonly Deed[]
  readonly two: readonly Deed[]
  /** Which step continues, in order. After the last choice, the oldest. */
  readonly order: readonly Choice[]
}

const turnLimit = 4000

const untilQuit = (deeds: readonly Deed[]): readonly Deed[] =>
  deeds.includes('quit') ? deeds.slice(0, deeds.indexOf('quit')) : deeds

/** @returns what a user or the vendor would complain about. */
async function play(plan: Plan): Promise<readonly string[]> {
  const complaints: string[] = []
  const clocks = [createFakeClock({ startMs }), createFakeClock({ startMs })] as const
  const service = createForeignService(() => clocks[0].now())
  const license = service.addLicense()
  const other = service.addLicense()
  const store = createMemoryStore()
  const { isLocked = true } = plan
  const lock = createSharedLock()
  const scheduler = createScheduler()
  let underWay = 0
  let isOffline = false

  const open = (who: 0 | 1, files: MemoryStore, isFree: boolean): LicensingCore => {
    const bind = <Port extends object>(port: Port): Port =>
      isFree ? port : scheduler.bind(String(who), port)
    const app = createAppService({
      baseUrl: 'https://service.example/v1',
      accessToken: 'token',
      fetch: async (request, init) => {
        if (isOffline) throw new TypeError('net::ERR_INTERNET_DISCONNECTED')
        return service.fetch(new Request(request, init))
      },
      count: (change) => {
        underWay += change
      },
    })
    return createLicensingCore(
      {
        service: bind(app.service),
        store: isFree ? files : bind(withGap(files, () => scheduler.turn(String(who)))),
        ...(isLocked && { lock: bind(lock.port(clocks[who])) }),
        secrets: bind(createFakeSecrets()),
        device: createFakeDevice(),
        clock: clocks[who],
        logger: createRecordingLogger(),
      },
      defaultRules,
    )
  }

  const settle = async (): Promise<void> => {
    do for (let turns = 0; turns < 3; turns += 1) await new Promise((resolve) => setImmediate(resolve))
    while (underWay > 0)
  }
  let position = 0
  const drain = async (until: () => boolean): Promise<void> => {
    await settle()
    for (let turns = 0; !until(); turns += 1) {
      if (turns > turnLimit) {
        complaints.push('what was under way never came to an end')
        return
      }
      if (scheduler.waiting > 0) {
        // A process that has finished lets the other one continue.
        while (!scheduler.has(plan.order[position] ?? 0)) position += 1
        scheduler.go(plan.order[position] ?? 0)
        position += 1
      } else {
        // Waiting for a lock uses the clock.
        await Promise.all(clocks.map((clock) => clock.advance(50)))
      }
      await settle()
    }
  }

  const perform = async (core: LicensingCore, who: 0 | 1, deeds: readonly Deed[]): Promise<void> => {
    const meanwhile: Promise<unknown>[] = []
    await core.start()
    for (const deed of deeds) {
      if (deed === 'activate') await core.activate(license.id)
      else if (deed === 'activate-other') await core.activate(other.id)
      else if (deed === 'deactivate') await core.deactivate()
      else if (deed === 'validate') await core.validate()
      else if (deed === 'validate-meanwhile') meanwhile.push(core.validate())
      else if (deed === 'quit') return core.dispose()
      else await clocks[who].advance(hourMs + 60_000)
    }
    await Promise.all(meanwhile)
  }

  if (plan.isActivated) {
    const core = open(0, store, true)
    await core.start()
    await core.activate(license.id)
    await core.dispose()
    await settle()
  }
  isOffline = plan.isOffline
  const cores = [open(0, store, false), open(1, store, false)] as const
  let left = 2
  const done = (): void => {
    left -= 1
  }
  void perform(cores[0], 0, plan.one).finally(done)
  void perform(cores[1], 1, plan.two).finally(done)
  await drain(() => left === 0 && scheduler.waiting === 0)
  for (const core of cores) void core.dispose()
  await drain(() => scheduler.waiting === 0)

  isOffline = false
  // After two launches without faults, every taken seat is known.
  for (let round = 0; round < 3; round += 1) {
    for (const clock of clocks) clock.restart(hourMs)
    const core = open(0, store, true)
    await core.start()
    await core.validate()
    await settle()
    const { status, entitled } = core.state
    await core.dispose()
    await settle()
    if (round < 2) continue
    const taken = [license.keys.length, other.keys.length]
    const seats = license.keys.length + other.keys.length
    if (seats > (entitled ? 1 : 0)) complaints.push(`${status}, and ${taken.join(' + ')} seats are taken`)
    if (entitled && seats === 0) complaints.push(`${status} without a seat`)
    const deeds = [...untilQuit(plan.one), ...untilQuit(plan.two)]
    const wantsOut = deeds.includes('deactivate')
    const wantsIn = deeds.some((deed) => deed === 'activate' || deed === 'activate-other')
    if (wantsOut && !wantsIn && status !== 'unlicensed') complaints.push(`a sign-out was undone: ${status}`)
    if (wantsIn && !wantsOut && !entitled && !plan.isOffline)
      complaints.push(`an activation was undone: ${status}`)
    if (!wantsOut && plan.isActivated && !entitled) complaints.push(`signed out by nobody: ${status}`)
  }
  return complaints
}

const deedsOf = (...deeds: readonly Deed[]): fc.Arbitrary<readonly Deed[]> =>
  fc.array(fc.constantFrom(...deeds), { minLength: 1, maxLength: 3 })
const plans: fc.Arbitrary<Plan> = fc.record({
  isActivated: fc.boolean(),
  isOffline: fc.boolean(),
  one: deedsOf('activate', 'activate-other', 'deactivate', 'validate', 'validate-meanwhile', 'hour', 'quit'),
  two: deedsOf('activate', 'activate-other', 'deactivate', 'validate', 'validate-meanwhile', 'hour', 'quit'),
  order: fc.array(fc.nat(3), { maxLength: 80 }),
})

beforeEach(skipWaitsBeforeRetries)

test('two processes on one record, interrupted anywhere, keep one seat and undo no deactivation', async () => {
  await fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      expect(await play(plan)).toEqual([])
    }),
    { numRuns: isLong ? 5000 : 30, seed, endOnFailure: false },
  )
})

/** Tries interleavings in order: the first process runs some steps, then the second one, and so on. */
async function playInTurns(plan: Omit<Plan, 'order' | 'isOffline'>): Promise<readonly string[]> {
  const complaints = new Set<string>()
  const stepSize = isLong ? 1 : 5
  for (let first = 0; first <= 36; first += stepSize) {
    for (const [lead, isOffline] of [
      [0, false],
      [1, false],
      [0, true],
      [1, true],
    ] as const) {
      // While both wait, one of them continues. Then the other catches up.
      const order = [...Array<number>(first).fill(lead), ...Array<number>(60).fill(1 - lead)]
      for (const complaint of await play({ ...plan, isOffline, order })) {
        complaints.add(
          `${complaint} (${lead === 0 ? 'oldest' : 'newest'} first, ${first} times${isOffline ? ', offline' : ''})`,
        )
      }
    }
  }
  return [...complaints]
}

test.each<readonly [name: string, one: readonly Deed[], two: readonly Deed[], isActivated: boolean]>([
  ['a sign-out beside an hourly save', ['deactivate'], ['hour'], true],
  ['a sign-out beside an app that quits', ['deactivate'], ['hour', 'quit'], true],
  ['a sign-out beside a check', ['deactivate'], ['validate'], true],
  ['two sign-outs', ['deactivate'], ['deactivate'], true],
  ['two activations', ['activate'], ['activate'], false],
  ['two activations of different licenses', ['activate-other'], ['activate'], false],
  ['an activation beside a check', ['activate'], ['validate'], false],
  ['a move to another license beside a check', ['activate-other'], ['validate'], true],
])('%s: in both orders', async (_name, one, two, isActivated) => {
  expect(await playInTurns({ isActivated, one, two })).toEqual([])
})

test('without the lock, a deactivation is lost between a read and a write', async () => {
  const lost: string[] = []
  for (let first = 0; first <= 20; first += 1) {
    const order = [...Array<number>(first).fill(0), ...Array<number>(60).fill(1)]
    const plan = { isActivated: true, isOffline: false, one: ['deactivate'], two: ['hour'], order } as const
    lost.push(...(await play({ ...plan, isLocked: false })))
    expect(await play(plan)).toEqual([])
  }
  expect(lost).toContain('a sign-out was undone: active')
})

test.each<readonly [name: string, one: readonly Deed[], two: readonly Deed[]]>([
  ['moves to another license', ['activate-other'], ['validate-meanwhile', 'deactivate']],
  ['signs out', ['deactivate'], ['validate-meanwhile', 'activate-other']],
])('while one process gets a response, the other %s: no seat is lost', async (_name, one, two) => {
  const complaints = new Set<string>()
  const mostSteps = isLong ? 40 : 6
  for (let first = 0; first <= mostSteps; first += 1) {
    for (let ahead = 0; ahead <= 4; ahead += 1) {
      // The second process goes so far. Then the first one does all it has to do. Then what the second one began last
      // is ahead by so much.
      const order = [
        ...Array<Choice>(first).fill({ who: 1, isNewest: true }),
        ...Array<Choice>(80).fill({ who: 0, isNewest: false }),
        ...Array<Choice>(ahead).fill({ who: 1, isNewest: true }),
        ...Array<Choice>(80).fill({ who: 1, isNewest: false }),
      ]
      for (const complaint of await play({ isActivated: true, isOffline: false, one, two, order })) {
        complaints.add(`${complaint} (after ${first}, ahead by ${ahead})`)
      }
    }
  }
  expect([...complaints]).toEqual([])
})
