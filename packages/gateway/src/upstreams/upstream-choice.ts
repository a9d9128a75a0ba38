import { uuidOnly } from '../http/ids.ts'
import { type Reply, refused } from '../http/reply.ts'
import { type LicenseOperations, nilKeyId } from '../licenses/license-operations.ts'
import { makeRoom } from '../make-room.ts'
import { besideOthers } from './beside-others.ts'
import { isUnknown, oneByOne } from './one-by-one.ts'
import {
  isUnclear,
  type Knowledge,
  knowledgeOf,
  type UpstreamCandidate,
  unreached,
} from './upstream-candidate.ts'
import { notReached, withoutSecondSeat } from './without-second-seat.ts'

/** How long to wait for the other services once one says that it knows a license key, in milliseconds. */
const patienceMs = 2_000

/** Maximum number of license keys to remember the service of. */
const maxRemembered = 50_000

/**
 * Creates the operations for several services. Each license key is served by the service that knows it. If two know it,
 * the first one in the list serves it.
 */
export function createUpstreamChoice(candidates: readonly UpstreamCandidate[]): LicenseOperations {
  const remembered = new Map<string, LicenseOperations>()
  /** License keys that a service once claimed and didn't know. */
  const doubted = new Set<string>()

  async function choose(licenseKey: string): Promise<LicenseOperations> {
    const known = remembered.get(licenseKey)
    if (known !== undefined) return known
    const possible = candidates.filter(({ mayKnow }) => mayKnow(licenseKey))
    const [only = candidates[0], ...others] = possible
    if (only === undefined) throw new Error('There is no upstream.')
    if (others.length === 0) return only.operations
    const isDoubted = doubted.has(licenseKey)
    const carefully = (service: LicenseOperations) => (isDoubted ? lookingFirst(service) : service)
    const asked = possible.map((candidate) => ({
      candidate,
      // The loop may return before all promises settle. A later rejection must not crash the process.
      asking: knowledgeOf(candidate, licenseKey),
    }))
    // A service that hangs must not slow down the license keys of another one until the app gives up.
    const patience = startPatience(asked.map(({ asking }) => asking))
    try {
      let unclear: LicenseOperations | undefined
      let missing = notReached
      const maybes: LicenseOperations[] = []
      for (const { candidate, asking } of asked) {
        const knowledge = await Promise.race([asking, patience.isOver])
        const others = possible.filter((other) => other !== candidate)
        const service = besideOthers(candidate.operations, others, licenseKey)
        const careful = carefully(service)
        if (knowledge === 'yes') {
          if (unclear !== undefined)
            return learning(licenseKey, service, besideAnUnclearOne(careful, missing))
          if (isDoubted) return learning(licenseKey, service, careful)
          const presumed = presumedOf(candidate, others, licenseKey)
          remember(licenseKey, presumed)
          return presumed
        }
        if (knowledge === 'maybe') maybes.push(learning(licenseKey, service, careful))
        if (unclear === undefined && isUnclear(knowledge)) {
          unclear = careful
          missing = unreached(candidate, knowledge)
        }
      }
      return unconfirmed(licenseKey, unclear, missing, maybes, carefully(only.operations))
    } finally {
      patience.end()
    }
  }

  /**
   * A service says that it knows the license key. That is only certain once it serves the license, because a cache may
   * have returned the list of another license. If it can't answer a request and no longer claims the key, all services are
   * asked again. A refusal alone may be a proxy's.
   */
  function presumedOf(
    candidate: UpstreamCandidate,
    others: readonly UpstreamCandidate[],
    licenseKey: string,
  ): LicenseOperations {
    const { operations } = candidate
    const certain = besideOthers(operations, others, licenseKey)
    const confirming = async (asking: Promise<Reply>): Promise<Reply> => {
      const reply = await asking
      if (reply.status === 200) remember(licenseKey, certain)
      return reply
    }
    const confirmed: LicenseOperations = {
      ...operations,
      activate: (...request) => confirming(operations.activate(...request)),
      validate: (...request) => confirming(operations.validate(...request)),
    }
    const service = besideOthers(confirmed, others, licenseKey)

    async function isClaimed(): Promise<boolean> {
      const knowledge = await knowledgeOf(candidate, licenseKey)
      return knowledge === 'yes' || isUnclear(knowledge)
    }

    async function run(
      ask: (service: LicenseOperations) => Promise<Reply>,
      isAnswer: (reply: Reply) => boolean,
    ): Promise<Reply> {
      const reply = await ask(service)
      if (isAnswer(reply) || remembered.get(licenseKey) === certain || (await isClaimed())) return reply
      remembered.delete(licenseKey)
      makeRoom(doubted, maxRemembered)
      doubted.add(licenseKey)
      return ask(await choose(licenseKey))
    }

    const isGood = ({ status }: Reply): boolean => status === 200
    return {
      keys: (...request) =>
        run(
          (one) => one.keys(...request),
          (reply) => isGood(reply) && !isEmptyList(reply),
        ),
      key: (...request) => run((one) => one.key(...request), isGood),
      // Anything else may have taken a seat.
      activate: (...request) =>
        run(
          (one) => one.activate(...request),
          (reply) => !isUnknown(reply),
        ),
      validate: (...request) => run((one) => one.validate(...request), isGood),
      deactivate: (...request) => run((one) => one.deactivate(...request), isGood),
    }
  }

  /** No service says that it knows the license key. */
  function unconfirmed(
    licenseKey: string,
    unclear: LicenseOperations | undefined,
    missing: Reply,
    maybes: readonly LicenseOperations[],
    fallback: LicenseOperations,
  ): LicenseOperations {
    const maybe = oneByOne(maybes)
    if (unclear !== undefined) {
      const cautious = withoutRefusals(unclear, missing)
      if (maybe === undefined) return learning(licenseKey, unclear, cautious)
      const waiting = learning(licenseKey, unclear, { ...cautious, activate: withoutSecondSeat(unclear) })
      return firstSeatElsewhere(waiting, maybe)
    }
    if (maybe === undefined) return fallback
    const { deactivate } = maybe
    return { ...withoutRefusals(maybe, unknown), deactivate }
  }

  /** Remembers the service of a license key once it activates the license. */
  function learning(
    licenseKey: string,
    service: LicenseOperations,
    cautious: LicenseOperations,
  ): LicenseOperations {
    return {
      ...cautious,
      async activate(...request) {
        const reply = await cautious.activate(...request)
        if (reply.status === 200) {
          remember(licenseKey, service)
          doubted.delete(licenseKey)
        }
        return reply
      },
    }
  }

  function remember(licenseKey: string, operations: LicenseOperations): void {
    makeRoom(remembered, maxRemembered)
    remembered.set(licenseKey, operations)
  }

  /** Asks no service, so that made-up license keys, which aren't counted here, don't reach one. */
  const nilKey: LicenseOperations['key'] = (licenseKey, ...rest) => {
    const first = candidates.find(({ mayKnow }) => mayKnow(licenseKey)) ?? candidates[0]
    if (first === undefined) throw new Error('There is no upstream.')
    // Apps accept a lease about a UUID in lower case from every service, and require it from the commerce service.
    const licenseId = uuidOnly.test(licenseKey) ? licenseKey.toLowerCase() : licenseKey
    return first.operations.key(licenseId, ...rest)
  }

  return {
    keys: async (licenseId, ...rest) => (await choose(licenseId)).keys(licenseId, ...rest),
    async key(licenseId, keyId, leaseRequest) {
      if (keyId === nilKeyId) return nilKey(licenseId, keyId, leaseRequest)
      return (await choose(licenseId)).key(licenseId, keyId, leaseRequest)
    },
    activate: async (licenseId, ...rest) => (await choose(licenseId)).activate(licenseId, ...rest),
    validate: async (licenseId, ...rest) => (await choose(licenseId)).validate(licenseId, ...rest),
    deactivate: async (licenseId, ...rest) => (await choose(licenseId)).deactivate(licenseId, ...rest),
  }
}

/** A service that reads its list before it activates, because the app may have read another service's. */
function lookingFirst(service: LicenseOperations): LicenseOperations {
  return { ...service, activate: withoutSecondSeat(service) }
}

/** Returns the reply of a service that may hang. */
async function inTime(asking: Promise<Reply>): Promise<Reply> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<Reply>((resolve) => {
    timer = setTimeout(resolve, patienceMs, notReached)
  })
  return Promise.race([asking, late]).finally(() => clearTimeout(timer))
}

/** The wait for slower services. */
interface Patience {
  /** Resolves some time after the first service said that it knows or may know the license key. */
  readonly isOver: Promise<Knowledge>
  end(): void
}

function startPatience(asking: readonly Promise<Knowledge>[]): Patience {
  let timer: ReturnType<typeof setTimeout> | undefined
  let hasEnded = false
  const isOver = new Promise<Knowledge>((resolve) => {
    const begin = (knowledge: Knowledge): void => {
      const mayServe = knowledge === 'yes' || knowledge === 'maybe'
      if (mayServe && !hasEnded) timer ??= setTimeout(resolve, patienceMs, 'unclear')
    }
    for (const one of asking) void one.then(begin)
  })
  return {
    isOver,
    end() {
      hasEnded = true
      clearTimeout(timer)
    },
  }
}

const unknown: Reply = refused(404, 'not-found')

/**
 * A service knows the license key, and one before it, which would serve it, can't be asked. The device may belong to that
 * one: what is good is passed on, and a new device is activated here, but nothing is called gone. An empty list alone
 * proves nothing, because showing a key is not refused.
 */
function besideAnUnclearOne(service: LicenseOperations, missing: Reply): LicenseOperations {
  return { ...withoutRefusals(service, missing), keys: service.keys }
}

/**
 * One service can't be asked, and another one may know the license key: a new customer of that one doesn't have to wait,
 * because it refuses to activate a license that it doesn't know. `waiting` must take no second seat for a device, because
 * `keys` may have returned the other one's list.
 */
function firstSeatElsewhere(waiting: LicenseOperations, other: LicenseOperations): LicenseOperations {
  return {
    ...waiting,
    async keys(...request) {
      const reply = await inTime(waiting.keys(...request))
      return reply.status >= 500 ? other.keys(...request) : reply
    },
    async activate(...request) {
      const reply = await other.activate(...request)
      return reply.status === 200 || reply.status >= 500 ? reply : waiting.activate(...request)
    },
  }
}

/**
 * Limits a service that hasn't confirmed that it knows the license key. It must not make a device lose its license, so
 * it signs no lease for a missing key, and an empty list isn't passed on.
 *
 * @param instead the reply to send instead of a refusal.
 */
function withoutRefusals(service: LicenseOperations, instead: Reply): LicenseOperations {
  const passed = (reply: Reply): Reply =>
    reply.status === 404 || reply.status === 410 || reply.isRefusal === true || isEmptyList(reply)
      ? { ...instead, ...(reply.upstreamStatus !== undefined && { upstreamStatus: reply.upstreamStatus }) }
      : reply
  return {
    ...service,
    keys: async (...request) => passed(await service.keys(...request)),
    key: async (licenseId, keyId) => passed(await service.key(licenseId, keyId, null)),
    validate: async (...request) => passed(await service.validate(...request)),
    deactivate: async (...request) => passed(await service.deactivate(...request)),
  }
}

function isEmptyList({ body }: Reply): boolean {
  return body !== null && 'data' in body && Array.isArray(body.data) && body.data.length === 0
}
