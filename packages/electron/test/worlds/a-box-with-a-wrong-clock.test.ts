import { describe, expect, test } from 'vitest'
import { boxes } from './box.ts'
import { createSurroundings } from './surroundings.ts'

const dayMs = 86_400_000

describe.each([-400, -20, 20, 400])('a proxy whose clock is wrong by %i days', (days) => {
  test.each([
    '200 an empty list',
    "200 somebody else's device",
    '200 everything at once',
    '404 an error in JSON',
  ])('locks out no device: %s', async (name) => {
    const world = await createSurroundings('direct')
    const license = world.service.addLicense()
    const computer = world.computer()
    await computer.launch()
    await computer.core.activate(license.id)
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
