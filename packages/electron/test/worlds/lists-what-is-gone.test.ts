import { describe, expect, test } from 'vitest'
import { plainDialect, refusal, responseOf } from './dialect.ts'
import type { ForeignLicense } from './foreign-service.ts'
import { createSurroundings, type Path } from './surroundings.ts'

const dayMs = 86_400_000
const minuteMs = 60_000

const paths: readonly Path[] = ['direct', 'gateway', 'leases']
const services = [true, false].flatMap((isShown) =>
  [true, false].map((isConfirmedAgain) => ({ isShown, isConfirmedAgain })),
)
const ways = paths.flatMap((path) => services.map((goneKeys) => ({ path, ...goneKeys })))

/** A service that still lists the keys that it has deactivated, and a computer of one of its customers. */
async function start({ path, ...goneKeys }: (typeof ways)[number], limit = 1) {
  const world = await createSurroundings(path, { ...plainDialect, goneKeys })
  const license = world.service.addLicense({ limit })
  const computer = world.computer()
  await computer.launch()
  /** Clicks until the license is active, at most a few times. */
  const activate = async (): Promise<void> => {
    for (let click = 0; click < 6; click += 1) {
      if ((await computer.core.activate(license.id)).ok) break
      await world.elapse(30 * minuteMs)
    }
    await computer.settled()
  }
  return { world, license, computer, activate }
}

function release(license: ForeignLicense): void {
  license.goneKeys.push(...license.keys.splice(0))
}

describe.each(ways)('a service that keeps listing what it deactivated: %j', (way) => {
  test('a device can be deactivated and activated again and again', async () => {
    const { world, license, computer, activate } = await start(way)
    for (let round = 0; round < 5; round += 1) {
      await activate()
      expect([round, computer.state.status, license.keys.length]).toEqual([round, 'active', 1])
      await world.elapse(2 * dayMs)
      await computer.core.deactivate()
      await world.elapse(2 * dayMs)
      expect([round, computer.state.status, license.keys.length]).toEqual([round, 'unlicensed', 0])
    }
    expect(license.goneKeys).toHaveLength(5)
  })

  test('a lost response to a deactivation locks nobody out', async () => {
    const { world, license, computer, activate } = await start(way)
    const { fetch } = world.service
    for (let round = 0; round < 3; round += 1) {
      await activate()
      expect([round, computer.state.status, license.keys.length]).toEqual([round, 'active', 1])
      world.service.fetch = async (request) => {
        const answer = await fetch(request)
        if (request.method !== 'DELETE') return answer
        world.service.fetch = fetch
        throw new TypeError('The connection was reset.')
      }
      await computer.core.deactivate()
      world.service.fetch = fetch
      await world.elapse(2 * dayMs)
    }
  })

  test('a device that was released elsewhere gets a new seat', async () => {
    const { world, license, computer, activate } = await start(way)
    await activate()
    // Two refused activations at most are replaced before one is freed, so that a proxy can't use up all seats.
    for (let round = 0; round < 2; round += 1) {
      release(license)
      await world.elapse(2 * dayMs)
      await computer.core.reactivate()
      await world.elapse(dayMs)
      expect([round, computer.state.status, license.keys.length]).toEqual([round, 'active', 1])
    }
  })

  test('a proxy that refuses every deactivation neither frees nor loses the seat in use', async () => {
    const { world, license, computer, activate } = await start(way, 2)
    license.keys.push({ id: crypto.randomUUID(), name: 'Tower [fedcba9876543210]', createdAtMs: world.nowMs })
    await activate()
    const { fetch } = world.service
    world.service.fetch = async (request) =>
      request.method === 'DELETE'
        ? responseOf(world.service.dialect.dated(refusal(404), world.nowMs))
        : fetch(request)
    expect(await computer.core.deactivate()).toMatchObject({ ok: true, seat: 'freed-later' })
    await world.elapse(2 * dayMs)
    expect(license.keys).toHaveLength(2)
    world.service.fetch = fetch
    await computer.launch()
    expect(license.keys).toHaveLength(1)
    await activate()
    expect([computer.state.status, license.keys.length]).toEqual(['active', 2])
  })
})

test.each(paths.flatMap((path) => [0, 1, 2].map((lost) => [path, lost] as const)))(
  'a host that answers 404 to every third request loses no seat: %s, %i',
  async (path, lost) => {
    const world = await createSurroundings(path)
    const license = world.service.addLicense()
    const tower = { id: crypto.randomUUID(), name: 'Tower [fedcba9876543210]', createdAtMs: world.nowMs }
    const computer = world.computer()
    await computer.launch()
    await computer.core.activate(license.id)
    await computer.settled()
    license.keys.push(tower)
    const { fetch } = world.service
    let count = 0
    world.service.fetch = async (request) => {
      const isLost = count++ % 3 === lost
      const isList = request.method === 'GET' && request.url.endsWith('/keys')
      return isLost && !isList ? responseOf(plainDialect.dated(refusal(404), world.nowMs)) : fetch(request)
    }
    await computer.core.deactivate()
    await world.elapse(2 * dayMs)
    world.service.fetch = fetch
    await computer.launch()
    await world.elapse(2 * dayMs)
    expect(license.keys).toEqual([tower])
  },
)

test.each(paths)(
  'without a list of keys, a seat is used, kept and released exactly once: %s',
  async (way) => {
    const world = await createSurroundings(way, {
      ...plainDialect,
      listAnswer: () => refusal(403),
    })
    const license = world.service.addLicense()
    const computer = world.computer()
    await computer.launch()
    await computer.core.activate(license.id)
    await computer.settled()
    expect([computer.state.status, license.keys.length]).toEqual(['active', 1])
    await world.elapse(3 * dayMs)
    expect([computer.state.status, license.keys.length]).toEqual(['active', 1])

    expect(await computer.core.deactivate()).toMatchObject({ ok: true, seat: 'freed' })
    await computer.launch()
    await world.elapse(3 * dayMs)
    expect([computer.state.status, license.keys.length]).toEqual(['unlicensed', 0])
    expect(world.service.asked.filter((operation) => operation === 'DELETE deactivate')).toHaveLength(1)
  },
)
