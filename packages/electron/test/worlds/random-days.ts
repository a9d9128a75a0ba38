import * as fc from 'fast-check'
import { boxes } from './box.ts'
import { createSurroundings, type Path, type Place, type Surroundings } from './surroundings.ts'

const dayMs = 86_400_000
const graceMs = 14 * dayMs

/** Events of a day. */
export type Event =
  | { readonly do: 'box'; readonly place: Place; readonly box: number }
  | { readonly do: 'free-way' | 'validate' | 'launch' | 'deactivate' | 'activate' | 'reactivate' | 'devices' }
  | { readonly do: 'lose-answer'; readonly to: 'POST activate' | 'DELETE deactivate' | 'POST validate' }
  | { readonly do: 'run' | 'rest'; readonly hours: number }
  | { readonly do: 'vendor'; readonly change: 'release' | 'suspend' | 'reinstate' }

export interface Days {
  readonly path: Path
  readonly events: readonly Event[]
}

const events: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('box'),
      place: fc.constantFrom<Place>('app', 'upstream'),
      box: fc.nat(boxes.length - 1),
    }),
  },
  { weight: 3, arbitrary: fc.constant({ do: 'free-way' }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'validate',
        'launch',
        'deactivate',
        'activate',
        'activate',
        'reactivate',
        'devices',
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('lose-answer'),
      to: fc.constantFrom('POST activate', 'DELETE deactivate', 'POST validate'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('run'), hours: fc.constantFrom(1, 7, 30) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('rest'), hours: fc.constantFrom(1, 30, 200, 400) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('vendor'),
      change: fc.constantFrom('release', 'suspend', 'reinstate'),
    }),
  },
)

/** Any sequence of days with any broken proxies. */
export const manyDays: fc.Arbitrary<Days> = fc.record({
  path: fc.constantFrom<Path>('direct', 'gateway', 'leases'),
  events: fc.array(events, { minLength: 1, maxLength: 18 }),
})

/**
 * Lets the days pass, then a few healthy ones.
 *
 * @returns what a user or the vendor would complain about.
 */
export async function live({ path, events }: Days): Promise<readonly string[]> {
  const world = await createSurroundings(path)
  const license = world.service.addLicense()
  const computer = world.computer()
  const complaints: string[] = []
  /** When the service last confirmed the current activation. `null` if there is none. */
  let paidAtMs: number | null = null
  const { fetch } = world.service
  await computer.launch()

  const isFree = (): boolean => world.boxes.app === null && world.boxes.upstream === null
  const look = (when: string): void => {
    const { status, entitled, problem } = computer.state
    if (entitled || paidAtMs === null || world.nowMs - paidAtMs > graceMs - dayMs / 24) return
    complaints.push(`${when}: a paying customer is ${status} (${problem?.code ?? 'no problem'})`)
    paidAtMs = null
  }

  async function act(event: Event): Promise<void> {
    switch (event.do) {
      case 'box':
        // Without a gateway there is only one place for a proxy.
        world.boxes[event.place] = boxes[event.box]?.[1] ?? null
        return
      case 'free-way':
        world.boxes.app = null
        world.boxes.upstream = null
        return
      case 'lose-answer':
        return loseAnswer(world, event.to)
      case 'validate':
        await computer.core.validate()
        await computer.settled()
        if (isFree() && paidAtMs !== null && computer.state.status === 'active') paidAtMs = world.nowMs
        return
      case 'launch':
        await computer.launch()
        return
      case 'devices':
        await computer.core.devices()
        return
      case 'activate':
      case 'reactivate': {
        const result = await (event.do === 'activate'
          ? computer.core.activate(license.id)
          : computer.core.reactivate())
        await computer.settled()
        if (!result.ok) return
        if (license.keys.length === 0) complaints.push('activated, and no seat is taken')
        paidAtMs = world.nowMs
        return
      }
      case 'deactivate': {
        paidAtMs = null
        const result = await computer.core.deactivate()
        await computer.settled()
        if (result.ok && result.seat === 'freed' && license.keys.length > 0) {
          complaints.push('the seat is said to be free')
        }
        return
      }
      case 'run':
        return world.elapse(event.hours * (dayMs / 24))
      case 'rest':
        await computer.quit()
        await world.elapse(event.hours * (dayMs / 24))
        await computer.launch()
        return
      case 'vendor':
        if (event.change === 'reinstate') {
          license.suspendedAtMs = null
          return
        }
        paidAtMs = null
        if (event.change === 'release') license.keys.length = 0
        else license.suspendedAtMs = world.nowMs
    }
  }

  for (const [index, event] of events.entries()) {
    await act(event)
    look(`after ${index + 1} (${event.do})`)
  }

  await act({ do: 'free-way' })
  world.service.fetch = fetch
  license.suspendedAtMs = null
  for (let day = 0; day < 4; day += 1) await act({ do: 'rest', hours: 25 })
  const { status } = computer.state
  if (license.keys.length !== (status === 'active' ? 1 : 0)) {
    complaints.push(`in the end: ${status}, and ${license.keys.length} seats are taken`)
  }
  await act({ do: 'activate' })
  const { status: again, problem } = computer.state
  if (again !== 'active') complaints.push(`activated in the end: ${again} (${problem?.code ?? 'no problem'})`)
  if (license.keys.length !== 1) complaints.push(`activated in the end: ${license.keys.length} seats`)
  return complaints
}

/** The next request of this kind acts, and its answer is lost. */
function loseAnswer({ service }: Surroundings, operation: string): void {
  const { fetch } = service
  service.fetch = async (request) => {
    const before = service.asked.length
    const answer = await fetch(request)
    if (!service.asked.slice(before).includes(operation)) return answer
    service.fetch = fetch
    throw new TypeError('terminated')
  }
}
