import { createFakeClock } from '../../doubles/fake-clock.ts'
import { createFakeSecrets } from '../../doubles/fake-secrets.ts'
import { createMemoryStore } from '../../doubles/memory-store.ts'
import { createRecordingLogger } from '../../doubles/recording-logger.ts'
import { dayMs, defaultRules, lookAtDisk, minuteMs } from '../fixture.ts'
import {
  createServiceModel,
  type Fate,
  type ModelLicense,
  type ModelOperation,
  type ServiceModel,
} from '../service-model.ts'
import type { Action, Story, StoryOptions, Survival, VendorChange, Who } from './actions.ts'
import { createProcess, createTurns, type Home, type Process } from './process.ts'
import { createRuleCheck, otherName, ownName, type RuleCheck } from './rule-check.ts'

type PlayOptions = Pick<StoryOptions, 'processes' | 'diskFails' | 'listingMayBeRefused'>

interface Actor {
  readonly home: Home
  readonly check: RuleCheck
  process: Process | null
}

/**
 * Plays a story, then lets everything settle with a healthy service.
 *
 * @param createModel makes the service.
 * @returns the rules that did not hold; none when all is well.
 */
export async function playStory(
  story: Story,
  options: PlayOptions,
  createModel: (nowMs: () => number) => ServiceModel = createServiceModel,
): Promise<readonly string[]> {
  let nowMs = Date.parse('2026-11-01T12:00:00Z')
  const violations: string[] = []
  const fates = [...story.fates]
  const model = createModel(() => nowMs)
  const turns = createTurns(story.turns, () => model.isWorking?.() ?? false)
  const licenses = [model.addLicense(1), model.addLicense(2)] as const
  let hasDiskFailed = false
  /**
   * Seats that were owed when a clock was set forward by more than a month: what is owed for so long is left to the device
   * list.
   */
  let owedAtLeaps = 0
  /** Processes killed during a request. Without a list, each may have lost an answer. */
  let deathsAtWork = 0
  const reached = model.reachedBy(() => ({ kind: 'served' }))
  const { capabilities } = reached
  const hasNoList = !capabilities.listsActivations
  // One process of one device with a working disk uses its seat, and no other device released it.
  let isAlone = options.processes.length === 1 && !options.diskFails

  const actors: Record<Who, Actor> = { one: actor('one'), two: actor('two') }

  function actor(who: Who): Actor {
    const logger = createRecordingLogger()
    const clock = createFakeClock({ startMs: nowMs })
    const home: Home = { store: createMemoryStore(), secrets: createFakeSecrets(), clock, logger }
    const violate = (text: string): void => {
      violations.push(`${who}: ${text}`)
    }
    const check = createRuleCheck(
      home,
      defaultRules,
      () => licenses,
      () => nowMs,
      violate,
    )
    return { home, check, process: null }
  }

  function fateOf(operation: ModelOperation): Fate {
    const fate = fates.shift() ?? { kind: 'served' }
    const isRefusal =
      'status' in fate &&
      fate.status < 500 &&
      fate.status !== 404 &&
      fate.status !== 410 &&
      fate.status !== 429
    return operation === 'keys' && isRefusal && !options.listingMayBeRefused ? { kind: 'served' } : fate
  }

  function end(it: Actor, survives: Survival): void {
    if (it.process === null) return
    if (it.process.isBusy) deathsAtWork += 1
    it.check.died(it.process.isBusy)
    it.process.die(survives)
    it.process = null
  }

  async function launch(it: Actor): Promise<Process> {
    end(it, 'all')
    it.home.clock.restart()
    const process = createProcess(
      it.home,
      defaultRules,
      turns,
      (travel) => it.check.listening(model.reachedBy(fateOf, travel)),
      model.sendLate,
      (state, previous) => {
        if (isAlone && state.status === 'revoked') {
          violations.push('rule 3: the seat was taken away by a request of its own')
        }
        it.check.sees(state, previous)
      },
    )
    it.process = process
    watch(it, process, 'start', process.core.start().then(it.check.launched))
    return process
  }

  /** Nothing that a user or a network causes may reject. */
  function watch(it: Actor, process: Process, name: string, outcome: Promise<unknown>): void {
    outcome.catch((error: unknown) => {
      if (it.process === process) violations.push(`rule 4: ${name} rejected: ${String(error)}`)
    })
  }

  async function act(action: Action): Promise<void> {
    switch (action.do) {
      case 'elapse':
        nowMs += action.ms
        for (const { home, process } of Object.values(actors)) {
          if (process === null) home.clock.sleep(action.ms)
          else await home.clock.advance(action.ms)
        }
        return
      case 'arrive':
        return model.deliverLate()
      case 'vendor':
        return vendor(licenses[action.license], action.change)
      default:
        return actBy(actors[action.who], action)
    }
  }

  async function actBy(it: Actor, action: Extract<Action, { who: Who }>): Promise<void> {
    if (action.do === 'kill') {
      return end(it, action.survives)
    }
    if (action.do === 'disk') {
      hasDiskFailed ||= !action.works
      it.check.diskWorks(action.works)
      it.home.store.failure = action.works ? null : 'disk-full'
      return
    }
    if (action.do === 'set-clock') {
      // The remaining time of a request is measured with the mark, so a clock set forward uses it up.
      model.deliverLate()
      it.home.clock.jump(action.ms)
      if (action.ms > 30 * dayMs && hasNoList) owedAtLeaps += await owedBy(it)
      return it.check.clockWasSet(action.ms)
    }
    if (action.do === 'launch') {
      await launch(it)
      return
    }
    const process = it.process ?? (await launch(it))
    watch(it, process, action.do, perform(it, process, action))
  }

  /** How many seats the disk owes. An operation under way may owe the one in use as well. */
  async function owedBy({ home, process }: Actor): Promise<number> {
    const { owed } = await lookAtDisk({
      ...home,
      rules: defaultRules,
      service: reached,
      nowMs: home.clock.now(),
    })
    return process?.isBusy === true ? owed + 1 : owed
  }

  async function perform(it: Actor, { core }: Process, action: Extract<Action, { who: Who }>): Promise<void> {
    switch (action.do) {
      case 'activate': {
        const licenseId = licenses[action.license as 0]?.id ?? '00000000-0000-4000-8000-000000000000'
        const takeResult = it.check.activates(licenseId)
        return takeResult(await core.activate(licenseId))
      }
      case 'deactivate':
        it.check.signsOut()
        return it.check.signedOut(await core.deactivate())
      case 'cancel':
        await core.cancelActivation()
        return
      case 'validate':
        await core.validate()
        return
      case 'devices':
        await core.devices()
        return
      case 'wake':
        return core.check('resume')
      case 'quit':
        // Quitting cancels running requests.
        if (it.process?.isBusy) deathsAtWork += 1
        await core.dispose()
        if (it.process?.core === core) end(it, 'all')
    }
  }

  function vendor(license: ModelLicense, change: VendorChange): void {
    switch (change) {
      case 'suspend':
        license.isSuspended = true
        return
      case 'expire':
        license.expiresAtMs = nowMs - 1000
        return
      case 'expire-soon':
        license.expiresAtMs = nowMs + 5 * dayMs
        return
      case 'close':
        license.status = 'CLOSED'
        return
      case 'reinstate':
        license.isSuspended = false
        license.expiresAtMs = null
        license.status = 'ACTIVE'
        return
      case 'release-this-device':
        isAlone = false
        for (const key of ownKeys(license)) model.removeKey(license, key)
        return
      case 'fill':
        for (let left = license.limit - license.keys.length; left > 0; left -= 1)
          model.addKey(license, otherName)
        return
      case 'empty':
        for (const key of license.keys) if (!ownName.test(key.name)) model.removeKey(license, key.id)
    }
  }

  function ownKeys(license: ModelLicense): readonly string[] {
    return license.keys.filter((key) => ownName.test(key.name)).map((key) => key.id)
  }

  async function untilQuiet(): Promise<void> {
    await turns.give(2000)
    for (const { process } of Object.values(actors)) {
      if (process?.isBusy) violations.push('rule 4: what was under way never came to an end')
    }
  }

  async function lookAround(): Promise<void> {
    for (const { process, check } of Object.values(actors)) {
      if (process !== null && !process.isBusy) await check.looksAround(process.core)
    }
  }

  async function settleDown(): Promise<void> {
    fates.length = 0
    for (const { home, check } of Object.values(actors)) {
      home.store.failure = null
      check.diskWorks(true)
    }
    for (const license of licenses) vendor(license, 'reinstate')
    await untilQuiet()
    model.deliverLate()
    const used = Object.values(actors).filter(
      ({ home, process }) => process !== null || home.store.writes > 0,
    )
    for (let round = 0; round < 4; round += 1) {
      for (const it of used) {
        await launch(it)
        await untilQuiet()
      }
      // Without a list, it takes more than a day to prove that an activation is gone.
      await act({ do: 'elapse', ms: hasNoList && round === 1 ? 3 * dayMs : 11 * minuteMs })
      await untilQuiet()
    }
    await lookAround()
    const again = await activateUnrecorded()
    await countSeats([...new Set([...used, ...again])])
  }

  /**
   * If nothing could be written before a process died, no record shows the seats that it requested. The next activation
   * of that license must leave one of them.
   */
  async function activateUnrecorded(): Promise<readonly Actor[]> {
    const again: Actor[] = []
    for (const who of options.processes) {
      for (const license of [0, 1] as const) {
        const { id } = licenses[license]
        if (ownKeys(licenses[license]).length < 2 || !actors[who].check.unrecorded.has(id)) continue
        again.push(actors[who])
        await act({ do: 'activate', who, license })
        await untilQuiet()
      }
    }
    return again
  }

  async function countSeats(used: readonly Actor[]): Promise<void> {
    const inUse = new Map<string, string>()
    for (const { check, process } of used) {
      const { confirmed } = check
      const { status, problem } = process?.core.state ?? {}
      // The vendor or another user of the computer may have freed the seat before a list ever showed it. An empty list then
      // proves nothing, and the next activation takes a seat again.
      const isListEmpty = licenses.find(({ id }) => id === confirmed?.licenseKey)?.keys.length === 0
      const isInDoubt = !isAlone && isListEmpty && problem?.code === 'unconfirmed'
      const isHeld = process !== null && status !== 'unlicensed' && status !== 'revoked' && !isInDoubt
      if (isHeld && confirmed !== null) inUse.set(confirmed.licenseKey, confirmed.activationId)
    }
    if (hasNoList) return countUnlistedSeats(inUse)
    for (const [index, license] of licenses.entries()) {
      const own = ownKeys(license)
      if (own.length > 1) violations.push(`rule 3: ${own.length} seats of license ${index} for one device`)
      const keyId = inUse.get(license.id)
      // Two users of a computer share a seat by fingerprint, so one may have an outdated ID.
      const isShared = options.processes.length > 1 && capabilities.idempotentByFingerprint
      if (keyId !== undefined && own[0] !== keyId && !isShared)
        violations.push(`rule 3: the key on record is not the seat taken`)
      // A disk that couldn't be written lost the record. The next activation adopts the key.
      if (keyId === undefined && own.length > 0 && !hasDiskFailed) {
        violations.push(`rule 3: a seat of license ${index} is taken and nobody knows of it`)
      }
    }
  }

  /** Without a list, at most one seat per lost answer stays behind, which is a documented exception. */
  function countUnlistedSeats(inUse: ReadonlyMap<string, string>): void {
    let leftBehind = 0
    for (const license of licenses) {
      const own = ownKeys(license)
      const keyId = inUse.get(license.id)
      if (keyId !== undefined && !own.includes(keyId)) {
        violations.push('rule 3: the key on record holds no seat')
      }
      leftBehind += own.filter((id) => id !== keyId).length
    }
    const most = (model.lostActivations?.() ?? 0) + deathsAtWork
    if (leftBehind > most + owedAtLeaps) {
      violations.push(
        `rule 3: ${leftBehind} seats left behind by ${most} lost answers, and ${owedAtLeaps} owed when a clock leapt`,
      )
    }
  }

  if (story.isActivated) {
    const fatesToCome = fates.splice(0)
    await act({ do: 'activate', who: 'one', license: 0 })
    await untilQuiet()
    fates.push(...fatesToCome)
  }
  for (const { action, turns: count } of story.steps) {
    await act(action)
    await turns.give(count === 99 ? 2000 : count)
    await lookAround()
  }
  await settleDown()
  for (const { check, home } of Object.values(actors)) check.searches(model.licenses, home.logger.lines)
  return violations
}
