import * as fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import type { ButtonAction } from '../../../src/dialog/situation/situation.ts'
import { maskLicenseKey } from '../../../src/shared/license-key-text.ts'
import { skipWaitsBeforeRetries } from '../../doubles/skip-waits.ts'
import { boxes } from '../box.ts'
import { type ClickWorld, createClickWorld } from './click-world.ts'
import {
  type Deviations,
  dayMs,
  type Event,
  hourMs,
  minuteMs,
  type Story,
  secondMs,
  stories,
  type VendorAct,
  type Which,
} from './stories.ts'

const graceMs = 14 * dayMs

/** The clicks that may take a seat. */
const asking: readonly ButtonAction[] = ['activate', 'retry', 'reactivate', 'release']

/**
 * Lets a story happen, then a few healthy days.
 *
 * @param log what happens, for looking at one story
 * @returns what a user or the vendor would complain about.
 */
async function walk(story: Story, log: (line: string) => void = () => {}): Promise<readonly string[]> {
  const world = await createClickWorld(story)
  const { mine, user, licenses, complaints } = world
  /** When the service last confirmed the license in use. `null` if nothing is promised. */
  let paidAtMs: number | null = null
  /** Whether a broken disk or a wrong clock may end a license earlier. */
  let isFaulty = false

  /** Complains if a paying customer is locked out. */
  function look(when: string): void {
    const { status, entitled, problem, license, activity } = mine.state
    log(`${when}: ${status} ${problem?.code ?? ''}, ${user.scene.facts.kind} [${user.buttons}]`)
    if (entitled) {
      const held = (['first', 'second'] as const).find(
        (which) => maskLicenseKey(licenses[which].id) === license?.maskedKey,
      )
      const isFree = !world.isOffline && world.boxes.app === null && world.boxes.upstream === null
      const isQuiet = status === 'active' && activity === 'idle'
      const isConfirmed = isQuiet && isFree && held !== undefined && isGood(world, held)
      if (isConfirmed) paidAtMs = world.nowMs
      return
    }
    if (isFaulty || paidAtMs === null || world.nowMs - paidAtMs > graceMs - hourMs) return
    complaints.push(`${when}: a paying customer is ${status} (${problem?.code ?? 'no problem'})`)
    paidAtMs = null
  }

  async function act(event: Event): Promise<void> {
    switch (event.do) {
      case 'enter-key': {
        world.asksForSeat()
        world.startsAnew(user.buttons.includes('changeKey') ? null : event.key)
        if (user.enter(licenses[event.key].id)) paidAtMs = null
        return world.settle()
      }
      case 'click': {
        const all = user.buttons.filter((action) => action !== 'activate')
        const action = all[event.button % Math.max(1, all.length)]
        if (action === undefined) return
        if (action === 'deactivate') paidAtMs = null
        return click(world, action)
      }
      case 'network':
        world.isOffline = event.is === 'offline'
        world.boxes.app = null
        world.boxes.upstream = null
        return
      case 'box':
        world.boxes[event.place] = boxes[event.box]?.[1] ?? null
        return
      case 'lose':
        world.losing = event
        return
      case 'wait':
        return world.elapse(event.ms)
      case 'rest':
        return world.rest(event.ms)
      case 'set-clock':
        isFaulty = true
        mine.clock.jump(event.ms)
        return
      case 'launch':
        return world.launch()
      case 'reopen-window':
        await user.openWindow()
        return world.settle()
      case 'reinstall':
        world.mayHaveForgotten = true
        paidAtMs = null
        return world.reinstall()
      case 'disk':
        if (event.failure !== null) world.mayHaveForgotten = isFaulty = true
        world.store.failure = event.failure
        return
      case 'keychain':
        // Without the keychain, the app knows nothing about earlier requests.
        if (event.isLocked) world.startsAnew(null)
        isFaulty ||= event.isLocked
        world.secrets.locked = event.isLocked
        return
      case 'activate-elsewhere':
      case 'deactivate-elsewhere':
        await world.other.launch()
        if (event.do === 'activate-elsewhere') await world.other.core.activate(licenses[event.key].id)
        else await world.other.core.deactivate()
        await world.other.settled()
        return world.other.quit()
      default:
        if (!['reinstate', 'renew', 'add-seat'].includes(event.do)) paidAtMs = null
        changeLicense(world, event.key, event.do)
    }
  }

  await world.launch()
  for (const [index, event] of story.events.entries()) {
    await act(event)
    look(`after ${index + 1} ${JSON.stringify(event)}`)
  }
  await recover(world, story, log)
  await seeWhetherItEnds(world, story)
  user.closeWindow()
  await mine.quit()
  return complaints
}

/** Everything works again, and a user follows the screen until the first license is active. */
async function recover(world: ClickWorld, story: Story, log: (line: string) => void): Promise<void> {
  const { mine, licenses, user, complaints } = world
  const { mayList } = story.deviations
  world.isOffline = false
  world.losing = null
  world.delays = []
  world.boxes.app = null
  world.boxes.upstream = null
  world.secrets.locked = false
  world.store.failure = null
  for (const which of ['first', 'second'] as const) {
    changeLicense(world, which, 'reinstate')
    changeLicense(world, which, 'renew')
    // Without a list, only the vendor can free the seat of a lost answer.
    if (!mayList) licenses[which].limit = 100
  }
  await world.elapse(90 * secondMs)
  // A seat that was released is noticed by the next check.
  await mine.core.validate()
  await world.settle()

  const isIn = (): boolean =>
    mine.state.status === 'active' && mine.state.license?.maskedKey === maskLicenseKey(licenses.first.id)
  // Late requests may still arrive. Where keys that are gone stay listed, the app waits for them longer.
  const pauseMs = isReleaseProvable(story.deviations) ? 11 * minuteMs : 30 * minuteMs
  const seen: string[] = []
  while (seen.length < 16 && !(isIn() && user.scene.facts.kind === 'activated')) {
    const action = nextClick(world, seen)
    if (action !== null) await click(world, action)
    // The user keeps working until grace ends.
    if (action === 'continue' && !isReleaseProvable(story.deviations)) await world.rest(graceMs)
    else await world.elapse(seen.length % 4 === 0 ? pauseMs : 6 * secondMs)
    log(`${action}: ${mine.state.status} ${mine.state.problem?.code ?? ''}, ${user.scene.facts.kind}`)
  }
  const describe = (): string => `${mine.state.status} (${mine.state.problem?.code ?? 'no problem'})`
  if (seen.length === 16) complaints.push(`not in: ${describe()}, ${seen.join(', ')}`)
  for (let day = 0; day < 4; day += 1) await world.rest(25 * hourMs)
  if (!isIn()) complaints.push(`days later: ${describe()}`)
  if (!mayList) return
  const [first, second] = [world.seatsOfMine('first'), world.seatsOfMine('second')]
  if (first !== 1) complaints.push(`${first} seats of the license in use`)
  if (second > (world.mayHaveForgotten ? 1 : 0)) complaints.push(`${second} seats of the other license`)
}

/**
 * What a user clicks who wants to use the first license. Tries what the screen suggests twice, then another key.
 *
 * @returns `null` to wait.
 */
function nextClick({ mine, licenses, user }: ClickWorld, seen: string[]): ButtonAction | null {
  const { body, facts, primary } = user.scene
  const step = `${facts.kind} ${primary?.action}`
  const times = seen.toReversed().findIndex((before) => before !== step)
  const repeated = times === -1 ? seen.length : times
  seen.push(step)
  if (facts.isChecking) return null
  const { buttons } = user
  if (body === 'form') return 'activate'
  if (body === 'list') return repeated % 2 === 1 ? 'retry' : 'release'
  if (facts.kind === 'grace' && repeated < 2) return 'retry'
  // Nothing proves that the seat of this license was released, so its user goes on until grace ends.
  if (facts.problem?.code === 'unconfirmed' && seen.length > 4 && buttons.includes('continue'))
    return 'continue'
  const isOther = mine.state.entitled && mine.state.license?.maskedKey === maskLicenseKey(licenses.second.id)
  const suggested = primary?.action ?? null
  if (repeated < 2 && !isOther && suggested !== 'continue') return suggested
  const leaves: readonly ButtonAction[] = ['enterKey', 'changeKey', 'askDeactivation']
  return leaves.find((action) => buttons.includes(action)) ?? suggested
}

/** The vendor ends the license. The app notices within days, and takes no other seat. */
async function seeWhetherItEnds(world: ClickWorld, { events, deviations }: Story): Promise<void> {
  const { mine, licenses, complaints } = world
  changeLicense(world, 'first', events.length % 2 === 0 ? 'release' : 'suspend')
  const seats = licenses.first.keys.length
  for (let day = 0; day < 3; day += 1) await world.rest(25 * hourMs)
  if (!isReleaseProvable(deviations)) await world.rest(graceMs + hourMs)
  if (mine.state.entitled) complaints.push(`still ${mine.state.status} after the license has ended`)
  if (licenses.first.keys.length !== seats) complaints.push('takes a seat after the license has ended')
}

async function click(world: ClickWorld, action: ButtonAction): Promise<void> {
  if (asking.includes(action)) world.asksForSeat()
  if (action === 'activate') world.startsAnew('first')
  if (action === 'changeKey') world.startsAnew(null)
  if (action === 'deactivate') world.givesUpSeats()
  await world.user.click(action, world.licenses.first.id)
  await world.settle()
}

/** Only a list without this device proves that its seat was released. Otherwise, its license works until grace ends. */
function isReleaseProvable({ mayList, goneKeys }: Deviations): boolean {
  return mayList && goneKeys === 'forgotten'
}

function isGood(world: ClickWorld, which: Which): boolean {
  const { suspendedAtMs, expiresAtMs } = world.licenses[which]
  const endsLater = (expiresAtMs ?? Number.POSITIVE_INFINITY) > world.nowMs + 40 * dayMs
  return world.seatsOfMine(which) > 0 && suspendedAtMs === null && endsLater
}

function changeLicense({ licenses, nowMs }: ClickWorld, which: Which, change: VendorAct): void {
  const license = licenses[which]
  if (change === 'release') license.keys.length = 0
  else if (change === 'suspend') license.suspendedAtMs = nowMs
  else if (change === 'reinstate') license.suspendedAtMs = null
  else if (change === 'expire') license.expiresAtMs = nowMs - secondMs
  else if (change === 'renew') license.expiresAtMs = nowMs + 400 * dayMs
  else license.limit += 1
}

const isLong = process.env['LATCHKEY_LONG'] === '1'
const seed = Number(process.env['LATCHKEY_SEED'] ?? 20_261_121)

beforeEach(skipWaitsBeforeRetries)

test('after any clicks and faults, a user who follows the screen gets in and has one seat', async () => {
  const property = fc.asyncProperty(stories, async (story) => {
    expect(await walk(story)).toEqual([])
  })
  await fc.assert(property, { numRuns: isLong ? 5_000 : 60, seed, endOnFailure: false })
}, 3_600_000)
