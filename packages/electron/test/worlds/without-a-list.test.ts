import { expect, test } from 'vitest'
import { plainDialect, refusal } from './dialect.ts'
import { createSurroundings } from './surroundings.ts'

const dayMs = 86_400_000

test.each(['direct', 'gateway', 'leases'] as const)(
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
