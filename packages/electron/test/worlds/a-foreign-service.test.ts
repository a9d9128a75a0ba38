import * as fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import type { LicensingState } from '../../src/shared/licensing-state.ts'
import { skipWaitsBeforeRetries } from '../doubles/skip-waits.ts'
import { plainDialect } from './dialect.ts'
import { type DialectName, dialectNames, dialectOf, readingOf, singleDialects } from './dialects.ts'
import type { ForeignLicense } from './foreign-service.ts'
import { type Computer, createSurroundings, type Surroundings } from './surroundings.ts'

const dayMs = 86_400_000

/** Longer than a service may store. A name that is cut off must not cost a seat. */
const longLabel = 'Ada-Lovelaces-MacBook-Pro-16-2026.building-7.example.local'

/** How a service clearly refuses an unknown key. */
const plainRefusals = ['plain', ...['400', '404', '409', '410', '422'].map((status) => `${status} in JSON`)]

/**
 * Buys, installs, reinstalls, moves and deactivates at a service with this dialect.
 *
 * @param over `network` for real HTTP; `memory` takes less time.
 * @returns what a user or the vendor would complain about.
 */
async function liveWith(name: DialectName, over: 'network' | 'memory'): Promise<readonly string[]> {
  const world = await createSurroundings('direct', dialectOf(name))
  const server = over === 'network' ? await world.service.listen() : null
  const complaints: string[] = []
  const computer = (machineId: string): Computer =>
    world.computer({
      machineId,
      label: longLabel,
      ...(server === null ? {} : { baseUrl: server.baseUrl, fetch: (request: Request) => fetch(request) }),
    })
  try {
    const life = { world, name, complaints, computer }
    if (readingOf(name) === 'valid') await liveWell(life)
    else await liveInDoubt(life)
    await meetFullLicense(life)
  } finally {
    await server?.close()
  }
  return complaints
}

interface Life {
  readonly world: Surroundings
  readonly name: DialectName
  readonly complaints: string[]
  computer(machineId: string): Computer
}

async function liveWell({ world, name, complaints, computer }: Life): Promise<void> {
  const license = world.service.addLicense()
  const see = expecting(complaints, license)
  const one = computer('machine-one')
  await one.launch()
  await activate(one, license)
  see(one, ['active'], 1, 'activated')
  await one.core.validate()
  await one.launch()
  see(one, ['active'], 1, 'validated and launched again')
  await one.reinstall()
  await one.launch()
  await activate(one, license)
  see(one, ['active'], 1, 'reinstalled')

  const two = computer('machine-two')
  await two.launch()
  await activate(two, license)
  see(two, ['active'], 2, 'activated on a second computer')
  await one.core.validate()
  await one.settled()
  see(one, ['active'], 2, 'activated on a second computer')
  const listed = await one.core.devices()
  if (!listed.ok) complaints.push(`the devices are not listed: ${listed.problem.code}`)
  else if (listed.devices.filter(({ isThisDevice }) => isThisDevice).length !== 1) {
    complaints.push('the list does not name this device once')
  }

  await two.quit()
  await one.core.deactivate()
  await one.settled()
  await comeBack(world, one, 1)
  await comeBack(world, one, 1)
  see(one, ['unlicensed'], 1, 'deactivated')
  await one.quit()
  await two.launch()
  see(two, ['active'], 1, 'the other computer was deactivated')

  license.keys.length = 0
  await two.core.validate()
  await two.settled()
  await comeBack(world, two, 1)
  await comeBack(world, two, 1)
  // An incomplete list proves nothing.
  const isCertain =
    plainRefusals.includes(name.refuseValidate) &&
    plainRefusals.includes(name.refuseShow) &&
    name.list !== 'with junk in it'
  see(two, isCertain ? ['revoked'] : ['revoked', 'active', 'grace'], 0, 'its seat was taken away')
}

/** The answers contain no valid license, so they neither entitle nor lock out anyone, and take no seat. */
async function liveInDoubt({ world, complaints, computer }: Life): Promise<void> {
  const license = world.service.addLicense()
  const see = expecting(complaints, license)
  const { dialect } = world.service
  const one = computer('machine-one')
  await one.launch()
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    await activate(one, license)
    if (license.keys.length > 1) complaints.push(`attempt ${attempt}: ${license.keys.length} seats`)
  }
  await one.reinstall()
  await one.launch()
  await activate(one, license)
  if (license.keys.length > 1) complaints.push(`reinstalled: ${license.keys.length} seats`)
  world.service.dialect = plainDialect
  await activate(one, license)
  see(one, ['active'], 1, 'the service is understood again')
  world.service.dialect = dialect
  await one.core.validate()
  await comeBack(world, one, 3)
  see(one, ['active', 'grace'], 1, 'the service is not understood any more')
  await one.core.deactivate()
  await one.settled()
  await comeBack(world, one, 1)
  await comeBack(world, one, 1)
  see(one, ['unlicensed'], 0, 'deactivated')
}

async function meetFullLicense({ world, complaints, computer, name }: Life): Promise<void> {
  if (readingOf(name) !== 'valid') return
  const license = world.service.addLicense({ limit: 1 })
  const see = expecting(complaints, license)
  const [inside, outside] = [computer('machine-one'), computer('machine-two')]
  await inside.launch()
  await activate(inside, license)
  await outside.launch()
  await activate(outside, license)
  see(outside, ['unlicensed'], 1, 'no seat was left')
  see(inside, ['active'], 1, 'no seat was left for another')
  // The license isn't full anymore, so the same click works.
  license.keys.length = 0
  await activate(outside, license)
  see(outside, ['active'], 1, 'a seat was freed')
}

async function activate(computer: Computer, license: ForeignLicense): Promise<void> {
  await computer.core.activate(license.id)
  await computer.settled()
}

/** The app is quit, and started again days later. */
async function comeBack(world: Surroundings, computer: Computer, days: number): Promise<void> {
  await computer.quit()
  await world.elapse(days * dayMs)
  await computer.launch()
}

function expecting(complaints: string[], license: ForeignLicense) {
  return (
    computer: Computer,
    statuses: readonly LicensingState['status'][],
    seats: number,
    when: string,
  ): void => {
    const { status, problem } = computer.state
    if (!statuses.includes(status)) complaints.push(`${when}: ${status} (${problem?.code ?? 'no problem'})`)
    if (license.keys.length !== seats)
      complaints.push(`${when}: ${license.keys.length} seats instead of ${seats}`)
  }
}

const isLong = process.env['LATCHKEY_LONG'] === '1'
const seed = Number(process.env['LATCHKEY_SEED'] ?? 20_261_121)

beforeEach(skipWaitsBeforeRetries)

test('with one deviation from the interface, a service still gives, keeps and frees exactly one seat', async () => {
  const complaints: string[] = []
  for (const [name, dialect] of singleDialects) {
    const [first] = await liveWith(dialect, isLong ? 'network' : 'memory')
    if (first !== undefined) complaints.push(`${name}: ${first}`)
  }
  expect(complaints).toEqual([])
}, 3_600_000)

test('with many deviations from the interface, a service still gives, keeps and frees exactly one seat', async () => {
  const property = fc.asyncProperty(dialectNames, async (name) => {
    expect(await liveWith(name, 'network')).toEqual([])
  })
  await fc.assert(property, { numRuns: isLong ? 3000 : 10, seed, endOnFailure: false })
}, 3_600_000)
