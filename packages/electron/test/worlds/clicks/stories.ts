import * as fc from 'fast-check'
import { boxes } from '../box.ts'
import { type Dialect, plainDialect, refusal } from '../dialect.ts'
import type { Path, Place } from '../surroundings.ts'

export const secondMs = 1_000
export const minuteMs = 60_000
export const hourMs = 3_600_000
export const dayMs = 86_400_000

/** Which of the user's two licenses. */
export type Which = 'first' | 'second'

/** One event in a story. */
export type Event =
  | { readonly do: 'enter-key' | 'activate-elsewhere' | 'deactivate-elsewhere'; readonly key: Which }
  /** Clicks one of the buttons on the screen. */
  | { readonly do: 'click'; readonly button: number }
  | { readonly do: 'network'; readonly is: 'up' | 'offline' }
  | { readonly do: 'box'; readonly place: Place; readonly box: number }
  /** The next requests of this kind are lost, or act and their answers are lost. */
  | { readonly do: 'lose'; readonly what: string; readonly acts: boolean; readonly times: number }
  | { readonly do: 'wait' | 'rest' | 'set-clock'; readonly ms: number }
  | { readonly do: 'launch' | 'reopen-window' | 'reinstall' }
  | { readonly do: 'disk'; readonly failure: 'disk-full' | 'store-not-writable' | null }
  | { readonly do: 'keychain'; readonly isLocked: boolean }
  | { readonly do: VendorAct; readonly key: Which }
export type VendorAct = 'release' | 'suspend' | 'reinstate' | 'expire' | 'renew' | 'add-seat'

/** What the interface leaves open. */
export interface Deviations {
  /** One status for each refusal. */
  readonly refusals: readonly number[]
  readonly goneKeys: 'forgotten' | 'listed' | 'shown' | 'confirmed'
  readonly isDated: boolean
  readonly mayList: boolean
}

export interface Story {
  readonly path: Path
  readonly deviations: Deviations
  /** Seats of each license. */
  readonly limit: number
  /** How long the answers take, in turn, in milliseconds. Empty if they are there at once. */
  readonly delays: readonly number[]
  readonly events: readonly Event[]
}

/** Proxies and errors that many networks have. Other tests try stranger ones. */
const ordinaryBoxes = boxes.flatMap(([name], index) => {
  const isOrdinary =
    /^(?:200|302|403|404|407|502|503|504|511) (?:a page|an error in JSON|nothing at all)$/u.test(name)
  return isOrdinary ? [index] : []
})

const key = fc.constantFrom<Which>('first', 'second')
const one = <const Value>(...values: Value[]) => fc.constantFrom(...values)
const is = <const Value>(value: Value) => fc.constant(value)

const events: fc.Arbitrary<Event> = fc.oneof(
  { weight: 7, arbitrary: fc.record({ do: is('enter-key'), key }) },
  { weight: 10, arbitrary: fc.record({ do: is('click'), button: fc.nat(6) }) },
  { weight: 4, arbitrary: fc.record({ do: is('network'), is: one('up', 'up', 'offline') }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: is('box'),
      place: one<Place>('app', 'app', 'upstream'),
      box: one(...ordinaryBoxes),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: is('lose'),
      what: one(
        'POST activate',
        'POST activate',
        'DELETE deactivate',
        'POST validate',
        'GET keys',
        'GET keys/one',
      ),
      acts: fc.boolean(),
      times: one(1, 1, 2, 3),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ do: is('wait'), ms: one(2, 6, 61, 360, 3_600, 8 * 3_600).map(seconds) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: is('rest'), ms: one(1, 8, 30, 9 * 24, 20 * 24).map(hours) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: is('set-clock'), ms: one(-8, 8, -40 * 24, 40 * 24, 400 * 24).map(hours) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: one('launch', 'launch', 'reopen-window', 'reinstall') }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: is('disk'), failure: one('disk-full', 'store-not-writable', null) }),
  },
  { weight: 2, arbitrary: fc.record({ do: is('keychain'), isLocked: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: one('activate-elsewhere', 'activate-elsewhere', 'deactivate-elsewhere'),
      key,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: one<VendorAct>('release', 'suspend', 'reinstate', 'expire', 'renew', 'add-seat'),
      key,
    }),
  },
)

/** Events that lead to something only together. */
const phrases: fc.Arbitrary<readonly Event[]> = fc.oneof(
  { weight: 6, arbitrary: events.map((event): readonly Event[] => [event]) },
  {
    weight: 2,
    arbitrary: fc
      .record({ do: is('enter-key'), key })
      .map((event): readonly Event[] => [loseActivation, event]),
  },
  {
    weight: 2,
    arbitrary: fc
      .oneof(fc.record({ do: is('enter-key'), key }), fc.record({ do: is('click'), button: fc.nat(2) }))
      .map((event): readonly Event[] => [offline, event, online, aMinute]),
  },
)
const loseActivation: Event = { do: 'lose', what: 'POST activate', acts: true, times: 1 }
const offline: Event = { do: 'network', is: 'offline' }
const online: Event = { do: 'network', is: 'up' }
const aMinute: Event = { do: 'wait', ms: minuteMs + secondMs }

const deviations: fc.Arbitrary<Deviations> = fc.record({
  refusals: fc.array(one(400, 404, 404, 409, 410, 422), { minLength: 7, maxLength: 7 }),
  goneKeys: one('forgotten', 'forgotten', 'listed', 'shown', 'confirmed'),
  isDated: one(true, true, true, false),
  mayList: one(true, true, true, false),
})

const noDeviation: Deviations = {
  refusals: [404, 422, 422, 404, 404, 404, 422],
  goneKeys: 'forgotten',
  isDated: true,
  mayList: true,
}

/** Any story of a user, a network, a vendor and a computer. */
export const stories: fc.Arbitrary<Story> = fc
  .record({
    path: one<Path>('direct', 'direct', 'gateway', 'leases'),
    deviations: fc.oneof(is(noDeviation), is({ ...noDeviation, mayList: false }), deviations),
    limit: one(1, 1, 2, 3),
    delays: fc.array(one(0, 0, 1_000, 7_000, 14_000, 60_000), { minLength: 1, maxLength: 4 }),
    isSlow: one(false, false, false, false, true),
    phrases: fc.array(phrases, { minLength: 1, maxLength: 12, size: 'max' }),
  })
  .map(({ isSlow, delays, phrases, ...story }) => ({
    ...story,
    events: withoutThirdSeat(phrases.flat(), story.deviations),
    // Signatures take time of the computer that runs the test, so that only a direct answer has an exact delay.
    // A service that keeps listing deactivated keys can't prove that the seat of a late request is free.
    delays: isSlow && story.path === 'direct' && story.deviations.goneKeys === 'forgotten' ? delays : [],
  }))

/**
 * Leaves out what ends without the first license, and with the other one in use: a service that lists the keys it refuses,
 * and a lost answer while the user changes between two licenses. Of a license with two refused keys, the app takes no
 * third seat.
 */
function withoutThirdSeat(story: readonly Event[], { goneKeys }: Deviations): readonly Event[] {
  const isRefusedAndListed = goneKeys === 'listed' || goneKeys === 'shown'
  const hasChanged = story.some((event) => event.do === 'enter-key' && event.key === 'second')
  return isRefusedAndListed && hasChanged
    ? story.filter((event) => event.do !== 'lose' || event.what !== 'POST activate' || !event.acts)
    : story
}

/** A service that deviates like this. */
export function dialectWith({ refusals, goneKeys, isDated, mayList }: Deviations): Dialect {
  const refuse = (index: number) => refusal(refusals[index] ?? 404)
  return {
    ...plainDialect,
    refusals: {
      unknownLicense: refuse(0),
      fullLicense: refuse(1),
      unusableLicense: refuse(2),
      goneKeyShown: refuse(3),
      goneKeyValidated: refuse(4),
      goneKeyDeactivated: refuse(5),
      badRequest: refuse(6),
    },
    ...(goneKeys !== 'forgotten' && {
      goneKeys: { isShown: goneKeys === 'shown', isConfirmedAgain: goneKeys === 'confirmed' },
    }),
    ...(!mayList && { listAnswer: () => refusal(403) }),
    ...(!isDated && { dated: (answer) => answer }),
  }
}

function seconds(count: number): number {
  return count * secondMs
}

function hours(count: number): number {
  return count * hourMs
}
