// Loaded with the first request otherwise, which takes more turns than a click.
import '@latchkey/commerce/client'
import type { ActivationSession } from '../../../src/dialog/session/activation-session.ts'
import { situationOf } from '../../../src/dialog/situation/describe-situation.ts'
import type { ButtonAction, Situation } from '../../../src/dialog/situation/situation.ts'
import { createTranslator } from '../../../src/dialog/situation/translator.ts'
import { isUncertain } from '../../../src/shared/problem.ts'
import { english } from '../../../src/texts/load-strings.ts'
import { openScreenOn } from '../../dialog/stage/device-screen.ts'
import { createFakeSecrets, type FakeSecrets } from '../../doubles/fake-secrets.ts'
import { createMemoryStore, type MemoryStore } from '../../doubles/memory-store.ts'
import type { ForeignLicense } from '../foreign-service.ts'
import { type Computer, createComputer, createSurroundings, type Surroundings } from '../surroundings.ts'
import { dialectWith, type Event, type Story, secondMs, type Which } from './stories.ts'

/** The start of this computer's name. */
const labelOfThis = 'Mine'

type Losing = Extract<Event, { do: 'lose' }>

/** A user's computer, a second one, and what can go wrong between them and the service. */
export interface ClickWorld extends Pick<Surroundings, 'boxes' | 'nowMs'> {
  readonly licenses: Readonly<Record<Which, ForeignLicense>>
  readonly mine: Computer
  /** Always has a free way to the service. */
  readonly other: Computer
  readonly user: User
  readonly secrets: FakeSecrets
  /** The files of the current installation. */
  readonly store: MemoryStore
  isOffline: boolean
  losing: Losing | null
  /** How long the answers take, in turn. */
  delays: readonly number[]
  /** What a user or the vendor would complain about. */
  readonly complaints: string[]
  /** Whether the app may have lost what it knew about its seats. */
  mayHaveForgotten: boolean
  /** The user clicks something that may take a seat. */
  asksForSeat(): void
  /** The user enters a key, and gives up the activation of another one. */
  startsAnew(which: Which | null): void
  /** The user no longer wants any seat that is taken now. */
  givesUpSeats(): void
  seatsOfMine(which: Which): number
  settle(): Promise<void>
  elapse(ms: number): Promise<void>
  launch(): Promise<void>
  /** The app isn't running for this long. */
  rest(ms: number): Promise<void>
  reinstall(): Promise<void>
}

/** How long the app waits for an answer. */
const patienceMs = 15 * secondMs

/** The longest time that a click's own requests take. */
const clickMs = 90 * secondMs

export async function createClickWorld({ path, deviations, limit, delays }: Story): Promise<ClickWorld> {
  const surroundings = await createSurroundings(path, dialectWith(deviations))
  const { service, connection } = surroundings
  const licenses = { first: service.addLicense({ limit }), second: service.addLicense({ limit }) }
  const secrets = createFakeSecrets()
  let store = createMemoryStore()
  const isSlow = delays.length > 0
  let sent = 0
  let maySeatBeTaken = false
  let clickEndsAtMs = -1
  let isWarned = false
  // A full license that is said not to exist looks like a mistyped key, not like an earlier seat.
  const isClear = !deviations.refusals.slice(1, 3).some((status) => status === 404 || status === 410)
  /** The license whose activation was never answered, until the user gives that activation up. */
  let unanswered: ForeignLicense | null = null
  /** Seats that the user doesn't want anymore. They may take a while to become free. */
  const givenUp = new Set<string>()

  const mine = createComputer({
    ...connection,
    fetch: delayedFetch,
    label: labelOfThis,
    startMs: surroundings.nowMs,
    secrets,
    store: () => {
      store = createMemoryStore()
      return store
    },
  })
  const { fetch } = service
  const other = surroundings.computer({
    fetch,
    leaseKeys: undefined,
    machineId: 'machine-two',
    label: 'Other',
  })

  /** Takes the service's place. A request can be lost, or its answer. */
  service.fetch = async (request) => {
    const [operation, license] = operationOf(request)
    const lost = world.losing?.what === operation && world.losing.times > 0 ? world.losing : null
    if (lost !== null) world.losing = { ...lost, times: lost.times - 1 }
    if (lost?.acts === false) throw new TypeError('terminated')
    const held = license && seatsOf(license)
    const kept =
      license?.keys.some(({ id, name }) => name.startsWith(labelOfThis) && !givenUp.has(id)) === true
    const answer = await fetch(request)
    if (license && held !== undefined && operation === 'POST activate' && seatsOf(license) > held) {
      noteSeat(license, kept)
      // A locked keychain keeps nothing.
      unanswered = lost === null || secrets.locked ? null : license
    }
    if (lost !== null) throw new TypeError('terminated')
    return answer
  }

  function operationOf({ method, url }: Request): readonly [string, ForeignLicense | undefined] {
    const [, licenseId = '', name, keyId] =
      /\/licenses\/([^/]+)\/(\w+)(\/.+)?$/u.exec(new URL(url).pathname) ?? []
    return [`${method} ${name}${keyId === undefined ? '' : '/one'}`, service.licenses.get(licenseId)]
  }

  function noteSeat(license: ForeignLicense, isSecond: boolean): void {
    // A request that arrives after the app gave it up can take a seat beside that of the next one.
    if (delays.some((ms) => ms > patienceMs)) return
    if (!maySeatBeTaken) world.complaints.push('takes a seat for which nobody asked')
    maySeatBeTaken = false
    if (!isSecond || world.mayHaveForgotten) return
    if (surroundings.nowMs > clickEndsAtMs) world.complaints.push('takes a second seat by itself')
    else if (!isWarned && isClear && license === unanswered)
      world.complaints.push('takes a second seat without a warning')
  }

  /** The connection of this computer. */
  async function delayedFetch(request: Request): Promise<Response> {
    if (world.isOffline) throw new TypeError('net::ERR_INTERNET_DISCONNECTED')
    sent += 1
    const delayMs = world.delays[sent % world.delays.length] ?? 0
    if (delayMs === 0) return connection.fetch(request)
    if (delayMs > patienceMs) {
      // The app gives up, and the request arrives later.
      mine.clock.after(delayMs, () => void connection.fetch(request).catch(() => {}))
      await after(patienceMs)
      throw new TypeError('timeout')
    }
    await after(delayMs / 2)
    const answer = await connection.fetch(request)
    await after(delayMs / 2)
    return answer
  }

  const after = (ms: number): Promise<void> => new Promise((resolve) => mine.clock.after(ms, resolve))
  const seatsOf = ({ keys }: ForeignLicense): number =>
    keys.filter(({ name }) => name.startsWith(labelOfThis)).length

  /** Waits for everything that needs no time. */
  async function settle(): Promise<void> {
    for (let i = 0; i < 3 && !isSlow; i += 1) await mine.settled()
    for (let i = 0; i < 20 && isSlow; i += 1) await new Promise<void>((resolve) => setImmediate(resolve))
  }

  async function elapse(ms: number): Promise<void> {
    for (let leftMs = ms; leftMs > 0; ) {
      const stepMs = Math.min(leftMs, Math.max(1, mine.clock.waiting[0] ?? leftMs))
      await surroundings.elapse(stepMs)
      await mine.clock.advance(stepMs)
      await settle()
      leftMs -= stepMs
    }
  }

  async function quit(): Promise<void> {
    world.user.closeWindow()
    const { delays } = world
    world.delays = []
    // Quitting waits for answers that are on their way.
    if (isSlow) await elapse(16 * secondMs)
    await mine.quit()
    world.delays = delays
  }

  async function launch(): Promise<void> {
    await quit()
    const launched = mine.launch()
    if (!isSlow) await launched
    await settle()
    await world.user.openWindow()
    await settle()
  }

  const world: ClickWorld = {
    licenses,
    mine,
    other,
    user: createUser(mine),
    secrets,
    boxes: surroundings.boxes,
    isOffline: false,
    losing: null,
    delays,
    complaints: [],
    mayHaveForgotten: false,
    get nowMs() {
      return surroundings.nowMs
    },
    get store() {
      return store
    },
    asksForSeat() {
      maySeatBeTaken = true
      isWarned = world.user.isWarned || isUncertain(mine.state.problem)
      clickEndsAtMs = surroundings.nowMs + (isSlow ? clickMs : 0)
    },
    givesUpSeats() {
      unanswered = null
      for (const { keys } of service.licenses.values()) for (const { id } of keys) givenUp.add(id)
    },
    startsAnew(which) {
      const isOther = unanswered !== null && which !== null && licenses[which] !== unanswered
      if (which === null || isOther) world.givesUpSeats()
    },
    seatsOfMine: (which) => seatsOf(licenses[which]),
    settle,
    elapse,
    launch,
    async rest(ms) {
      await quit()
      await surroundings.elapse(ms)
      mine.clock.sleep(ms)
      await launch()
    },
    async reinstall() {
      await quit()
      await mine.reinstall()
      await launch()
    },
  }
  return world
}

const translator = createTranslator(english, {}, 'Inkpad')

/** A user in front of the activation window. */
interface User {
  /** What the window shows. */
  readonly scene: Situation
  /** What the buttons do that can be clicked now. */
  readonly buttons: readonly ButtonAction[]
  /** Whether the window says that an earlier request may have taken a seat, or that the settings are wrong. */
  readonly isWarned: boolean
  openWindow(): Promise<void>
  closeWindow(): void
  /** Enters a license key, if there is a form or a button that opens one. Returns whether there is. */
  enter(licenseKey: string): boolean
  /** Clicks a button of the screen. */
  click(action: ButtonAction, licenseKey: string): Promise<void>
}

function createUser(computer: Computer): User {
  let session: ActivationSession | null = null

  const opened = (): ActivationSession => {
    if (session === null) throw new Error('The window is closed.')
    return session
  }
  const sceneNow = (): Situation =>
    situationOf(opened().view, { translator, links: [] }, computer.clock.now())
  const buttonsOf = ({
    primary,
    other,
    hintButton,
    footer,
    help,
    facts,
  }: Situation): readonly ButtonAction[] =>
    [
      ...(facts.isChecking ? [] : [primary, other, hintButton]),
      ...(facts.isChecking ? [] : footer),
      ...help,
    ].flatMap((button) => (button === null ? [] : [button.action]))

  const user: User = {
    get scene() {
      return sceneNow()
    },
    get buttons() {
      return buttonsOf(sceneNow())
    },
    get isWarned() {
      const { facts } = sceneNow()
      // An error in the settings has its own words, because trying again won't help.
      if (facts.kind === 'misconfigured') return true
      return isUncertain(facts.notice) || isUncertain(facts.problem)
    },
    async openWindow() {
      user.closeWindow()
      session = (await openScreenOn(computer)).session
    },
    closeWindow() {
      session?.stop()
    },
    enter(licenseKey) {
      const toForm = user.buttons.find((action) => action === 'enterKey' || action === 'changeKey')
      if (sceneNow().body !== 'form' && toForm !== undefined) opened()[toForm]()
      const isForm = sceneNow().body === 'form' && !sceneNow().facts.isChecking
      if (isForm) opened().activate(licenseKey)
      return isForm
    },
    async click(action, licenseKey) {
      if (action === 'activate') user.enter(licenseKey)
      else if (action === 'continue') await user.openWindow()
      else if (action === 'release') {
        const { rows } = sceneNow()
        const row = rows?.find(({ label }) => !label.startsWith(labelOfThis)) ?? rows?.[0]
        if (row !== undefined) opened().release(row.id)
      } else if (action !== 'copyDetails') Reflect.get(opened(), action)?.()
    },
  }
  return user
}
