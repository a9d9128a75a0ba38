import * as fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { skipWaitsBeforeRetries } from '../doubles/skip-waits.ts'
import { answerOf, type Box, boxes } from './box.ts'
import { refusal, responseOf, withDate } from './dialect.ts'
import type { ForeignLicense } from './foreign-service.ts'
import { live, manyDays } from './random-days.ts'
import {
  type Computer,
  createSurroundings,
  type Path,
  type Place,
  type Surroundings,
} from './surroundings.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Plays one story with a broken proxy. @returns what a user or the vendor would complain about. */
type BoxStory = (path: Path, place: Place, box: Box) => Promise<readonly string[]>

interface Stage {
  readonly world: Surroundings
  readonly license: ForeignLicense
  readonly computer: Computer
  readonly complaints: string[]
  /** The device was activated and not deactivated, so it may run whatever the network does. */
  expectEntitled(when: string): void
  expectSeats(count: number, when: string): void
  /** The device is active, with one seat. */
  expectActive(when: string): void
  activate(): Promise<void>
  /** Lets days pass with at least one launch a day. */
  days(count: number): Promise<void>
}

async function stage(path: Path): Promise<Stage> {
  const world = await createSurroundings(path)
  const license = world.service.addLicense()
  const computer = world.computer()
  const complaints: string[] = []
  await computer.launch()
  const expectSeats = (count: number, when: string): void => {
    const { length } = license.keys
    if (length !== count) complaints.push(`${when}: ${length} seats taken instead of ${count}`)
  }
  return {
    world,
    license,
    computer,
    complaints,
    expectEntitled(when) {
      const { status, entitled, problem } = computer.state
      if (!entitled) complaints.push(`${when}: ${status} (${problem?.code ?? 'no problem'})`)
    },
    expectSeats,
    expectActive(when) {
      const { status, problem } = computer.state
      if (status !== 'active') complaints.push(`${when}: ${status} (${problem?.code ?? 'no problem'})`)
      expectSeats(1, when)
    },
    async activate() {
      await computer.core.activate(license.id)
      await computer.settled()
    },
    async days(count) {
      for (let day = 0; day < count; day += 1) {
        // On one day in four the app stays open. On the others it is launched once.
        if (day % 4 !== 0) await computer.quit()
        await world.elapse(dayMs)
        if (!computer.isRunning) await computer.launch()
      }
    },
  }
}

async function activated(path: Path): Promise<Stage> {
  const it = await stage(path)
  const result = await it.computer.core.activate(it.license.id)
  if (!result.ok) it.complaints.push(`healthy activation: ${result.problem.code}`)
  await it.computer.settled()
  return it
}

/** Within grace it runs. After grace it waits. Once requests get through, it is active with the same seat. */
const runsOn =
  (...stays: readonly number[]): BoxStory =>
  async (path, place, box) => {
    const it = await activated(path)
    const seat = it.license.keys[0]?.id
    it.world.boxes[place] = box
    await it.computer.core.validate()
    await it.computer.settled()
    it.expectEntitled('the box has come')
    await it.computer.core.devices()
    await it.computer.core.reactivate()
    await it.computer.settled()
    it.expectEntitled('it was activated again')
    await it.computer.launch()
    it.expectEntitled('at the next launch')
    let dayCount = 0
    for (const stay of stays) {
      await it.days(stay)
      dayCount += stay
      if (dayCount < 14) it.expectEntitled(`after ${dayCount} days`)
      else if (!['unverified', 'grace', 'active'].includes(it.computer.state.status)) {
        it.complaints.push(`after grace: ${it.computer.state.status}`)
      }
    }
    it.world.boxes[place] = null
    await it.computer.core.validate()
    await it.computer.settled()
    await it.days(2)
    it.expectActive('the box is gone')
    if (it.license.keys[0]?.id !== seat) it.complaints.push('the box is gone: another seat than before')
    return it.complaints
  }

/** The user deactivates behind the proxy. The seat is free once requests get through. */
const signsOut: BoxStory = async (path, place, box) => {
  const it = await activated(path)
  it.world.boxes[place] = box
  const result = await it.computer.core.deactivate()
  if (result.ok && result.seat === 'freed') it.complaints.push('signed out: the seat is said to be free')
  await it.computer.settled()
  await it.computer.launch()
  await it.days(3)
  it.world.boxes[place] = null
  await it.days(4)
  it.expectSeats(0, 'the box is gone')
  await it.activate()
  it.expectActive('activated again')
  return it.complaints
}

/**
 * A first activation behind the proxy entitles nobody. A later one takes one seat.
 *
 * @param isServed whether the service takes the seat before the proxy replaces its answer, and the user clicks again.
 */
const activates =
  (isServed: boolean): BoxStory =>
  async (path, place, box) => {
    const it = await stage(path)
    if (isServed) appearsDuring(it, 'POST activate', place, box)
    else it.world.boxes[place] = box
    const { ok } = await it.computer.core.activate(it.license.id)
    if (isServed) await it.activate()
    if (ok || it.computer.state.entitled) it.complaints.push('activated by the box')
    await it.computer.settled()
    await it.computer.launch()
    await it.days(1)
    it.world.boxes[place] = null
    await it.activate()
    it.expectActive('the box is gone')
    return it.complaints
  }

/** The seat is taken, but the proxy replaces the answer, and the user gives up. The seat isn't forgotten. */
const forgetsNoSeat: BoxStory = async (path, place, box) => {
  const it = await stage(path)
  appearsDuring(it, 'POST activate', place, box)
  await it.computer.core.activate(it.license.id)
  if (it.computer.state.entitled) it.complaints.push('activated by the box')
  it.expectSeats(1, 'the answer was lost')
  await it.computer.core.deactivate()
  await it.computer.settled()
  await it.computer.launch()
  await it.days(2)
  it.world.boxes[place] = null
  await it.days(4)
  // What the user started may be completed, but no unknown seat may stay behind.
  it.expectSeats(
    it.computer.state.status === 'active' ? 1 : 0,
    `${it.computer.state.status}, and the box is gone`,
  )
  await it.activate()
  it.expectActive('activated again')
  return it.complaints
}

/** Another device is released behind the proxy. The reported result is true. */
const releasesAnother: BoxStory = async (path, place, box) => {
  const it = await activated(path)
  const other = it.world.computer({ machineId: 'machine-two', label: 'Tower' })
  await other.launch()
  await other.core.activate(it.license.id)
  const seat = it.license.keys.find(({ name }) => name.startsWith('Tower'))
  if (seat === undefined) return [...it.complaints, 'the other device was not activated']
  it.world.boxes[place] = box
  const result = await it.computer.core.releaseDevice(seat.id)
  await it.computer.settled()
  if (result.ok) it.complaints.push('the other device is said to be released')
  it.world.boxes[place] = null
  it.expectEntitled('the box is gone')
  const again = await it.computer.core.releaseDevice(seat.id)
  if (!again.ok) it.complaints.push(`the box is gone: not released (${again.problem.code})`)
  it.expectSeats(1, 'the other device was released')
  await other.core.validate()
  await other.settled()
  if (other.state.status !== 'revoked') it.complaints.push(`the released device is ${other.state.status}`)
  return it.complaints
}

/** The next request of this kind acts, and the proxy replaces its answer. */
function appearsDuring({ world }: Stage, operation: string, place: Place, box: Box): void {
  const { fetch } = world.service
  world.service.fetch = async (request) => {
    const before = world.service.asked.length
    const answer = await fetch(request)
    if (!world.service.asked.slice(before).includes(operation)) return answer
    world.service.fetch = fetch
    world.boxes[place] = box
    return responseOf(answerOf(box, request.method, world.nowMs))
  }
}

/** The stories, named after what the user does. */
const boxStories: Readonly<Record<string, BoxStory>> = {
  'an activated device runs on': runsOn(2),
  'an activated device runs on for all of grace, and waits when it is over': runsOn(13, 5),
  'a device that signs out': signsOut,
  'a device that is activated': activates(false),
  'a device whose seat nobody confirmed signs out': forgetsNoSeat,
  'a device whose seat nobody confirmed is activated again': activates(true),
  'a device that releases another one': releasesAnother,
}

const isLong = process.env['LATCHKEY_LONG'] === '1'
const seed = Number(process.env['LATCHKEY_SEED'] ?? 20_261_121)

const ways: readonly (readonly [way: string, path: Path, place: Place])[] = [
  ['between app and service', 'direct', 'app'],
  ['between app and gateway', 'gateway', 'app'],
  ['between gateway and service', 'gateway', 'upstream'],
  ['between app and gateway, with leases', 'leases', 'app'],
  ['between gateway and service, with leases', 'leases', 'upstream'],
]

/** Proxies that once caused a failure. Every run has each of them, distributed over its tests. */
const worst = [
  '200 an empty list',
  '200 a success message',
  '200 everything at once',
  '404 an error in JSON',
  'an empty list to be read, 404 to the rest',
]
const share = Number(process.env['LATCHKEY_SHARE'] ?? 197)

/** The proxies of this run: all of them, or a few different ones for each test. */
function boxesOf(offset: number): typeof boxes {
  if (isLong) return boxes
  const due = [worst[offset % worst.length], worst[(offset + 2) % worst.length]]
  return boxes.filter(([name], index) => (index + offset * 29) % share === 0 || due.includes(name))
}

async function complaintsOf(story: BoxStory, path: Path, place: Place, offset: number): Promise<string[]> {
  const complaints: string[] = []
  for (const [name, box] of boxesOf(offset)) {
    for (const complaint of await story(path, place, box)) complaints.push(`${name}: ${complaint}`)
  }
  return complaints
}

beforeEach(skipWaitsBeforeRetries)

describe('a proxy that answers everything the same way locks out no device and loses no seat', () => {
  for (const [index, [name, story]] of Object.entries(boxStories).entries()) {
    test.each(ways)(`${name}: %s`, async (way, path, place) => {
      const offset = index * ways.length + ways.findIndex(([name]) => name === way)
      expect(await complaintsOf(story, path, place, offset)).toEqual([])
    })
  }
})

test('with any other faults on those days', async () => {
  const property = fc.asyncProperty(manyDays, async (days) => {
    expect(await live(days)).toEqual([])
  })
  await fc.assert(property, { numRuns: isLong ? 5000 : 15, seed, endOnFailure: false })
})

describe.each([-400, -20, 20, 400])('a proxy whose clock is wrong by %i days', (days) => {
  test.each([
    '200 an empty list',
    "200 somebody else's device",
    '200 everything at once',
    '404 an error in JSON',
  ])('locks out no device: %s', async (name) => {
    const { world, computer } = await activated('direct')
    const box = boxes.find(([other]) => other === name)?.[1]
    if (box === undefined) throw new Error(`There is no box ${name}`)
    world.boxes.app = { ...box, clockErrorMs: days * dayMs }
    await computer.core.devices()
    expect(computer.state.entitled).toBe(true)
    await computer.core.validate()
    await computer.settled()
    expect(computer.state.entitled).toBe(true)
    await computer.launch()
    expect(computer.state.entitled).toBe(true)
    await world.elapse(12 * dayMs)
    expect(computer.state.entitled).toBe(true)
    world.boxes.app = null
    await computer.core.validate()
    await computer.settled()
    expect(computer.state.status).toBe('active')
    await world.elapse(10 * dayMs)
    expect(computer.state.status).toBe('active')
  })
})

/** A cache that keeps the first list of keys and forwards everything else. */
function cacheInFront(world: Surroundings): { isThere: boolean; hasLostItsRoute: boolean } {
  const cache = { isThere: true, hasLostItsRoute: false }
  const { fetch } = world.service
  let kept: { readonly body: string; readonly headers: Headers } | null = null
  world.service.fetch = async (request) => {
    if (!cache.isThere) return fetch(request)
    const isList = request.method === 'GET' && request.url.endsWith('/keys')
    if (isList && kept !== null) return new Response(kept.body, { headers: kept.headers })
    if (cache.hasLostItsRoute) return responseOf(withDate(refusal(404), world.nowMs))
    const answer = await fetch(request)
    if (!isList) return answer
    kept = { body: await answer.text(), headers: answer.headers }
    return new Response(kept.body, { headers: kept.headers })
  }
  return cache
}

test('a cache with an old list and a broken route deactivates no device and releases no seat', async () => {
  const { world, license, computer, activate } = await stage('direct')
  const tower = { id: crypto.randomUUID(), name: 'Tower [fedcba9876543210]', createdAtMs: world.nowMs }
  license.keys.push(tower)
  const cache = cacheInFront(world)
  await activate()
  await world.elapse(hourMs)
  expect(computer.state.status).toBe('active')

  cache.hasLostItsRoute = true
  await computer.core.validate()
  await computer.settled()
  await computer.launch()
  await world.elapse(2 * dayMs)
  expect(computer.state).toMatchObject({ status: 'grace', entitled: true })

  expect(await computer.core.deactivate()).toMatchObject({ ok: true, seat: 'freed-later' })
  await computer.launch()
  await world.elapse(dayMs)
  cache.isThere = false
  await world.elapse(2 * dayMs)
  expect(license.keys).toEqual([tower])
})

test('a device that is reinstalled behind a cache with an old list has one seat after the cache expires', async () => {
  const { world, license, computer, activate } = await stage('direct')
  const cache = cacheInFront(world)
  await activate()
  await computer.reinstall()
  await computer.launch()
  await activate()
  await world.elapse(hourMs)
  cache.isThere = false
  await world.elapse(2 * dayMs)
  await computer.launch()
  expect(computer.state.status).toBe('active')
  expect(license.keys).toHaveLength(1)
})
