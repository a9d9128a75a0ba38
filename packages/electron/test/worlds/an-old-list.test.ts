import { expect, test } from 'vitest'
import { refusal, responseOf, withDate } from './dialect.ts'
import { createSurroundings, type Surroundings } from './surroundings.ts'

const dayMs = 86_400_000

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
  const world = await createSurroundings('direct')
  const license = world.service.addLicense()
  const cache = cacheInFront(world)
  const computer = world.computer()
  await computer.launch()
  await computer.core.activate(license.id)
  await world.elapse(dayMs / 24)
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
  expect(license.keys).toHaveLength(0)
})

test('a device that is reinstalled behind a cache with an old list has one seat after the cache expires', async () => {
  const world = await createSurroundings('direct')
  const license = world.service.addLicense()
  const cache = cacheInFront(world)
  const computer = world.computer()
  await computer.launch()
  await computer.core.activate(license.id)
  await computer.reinstall()
  await computer.launch()
  await computer.core.activate(license.id)
  await computer.settled()
  await world.elapse(dayMs / 24)
  cache.isThere = false
  await world.elapse(2 * dayMs)
  await computer.launch()
  expect(computer.state.status).toBe('active')
  expect(license.keys).toHaveLength(1)
})
