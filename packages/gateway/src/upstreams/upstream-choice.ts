import { type LicenseKey, parseKeyName } from '@latchkey/commerce'
import { uuidOnly } from '../http/ids.ts'
import { type Reply, refused } from '../http/reply.ts'
import { type LicenseOperations, nilKeyId } from '../licenses/license-operations.ts'
import { makeRoom } from '../make-room.ts'
import { oneByOne } from './one-by-one.ts'

/** Whether a service knows a license key. `maybe` is an empty list, which some services return for unknown keys too. */
export type Knowledge = 'yes' | 'no' | 'maybe' | 'unclear'

/** One of several services behind a gateway. */
export interface UpstreamCandidate {
  readonly operations: LicenseOperations
  /** Whether a text has the form of the service's license keys. */
  mayKnow(licenseKey: string): boolean
  /** Asks the service whether it knows a license key. */
  knows(licenseKey: string): Promise<Knowledge>
}

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

  async function choose(licenseKey: string): Promise<LicenseOperations> {
    const known = remembered.get(licenseKey)
    if (known !== undefined) return known
    const possible = candidates.filter(({ mayKnow }) => mayKnow(licenseKey))
    const [only = candidates[0], ...others] = possible
    if (only === undefined) throw new Error('There is no upstream.')
    if (others.length === 0) return only.operations
    const asked = possible.map(({ operations, knows }) => ({
      operations,
      // The loop may return before all promises settle. A later rejection must not crash the process.
      asking: knows(licenseKey).catch((): Knowledge => 'unclear'),
    }))
    // A service that hangs must not slow down the license keys of another one until the app gives up.
    const patience = startPatience(asked.map(({ asking }) => asking))
    try {
      const served = (operations: LicenseOperations): LicenseOperations => {
        const others = possible.filter((other) => other.operations !== operations)
        return besideOthers(operations, others, licenseKey)
      }
      let unclear: LicenseOperations | undefined
      const maybes: LicenseOperations[] = []
      for (const { operations, asking } of asked) {
        const knowledge = await Promise.race([asking, patience.isOver])
        if (knowledge === 'yes') {
          const known = served(operations)
          if (unclear !== undefined) return learning(licenseKey, known, besideAnUnclearOne(known))
          remember(licenseKey, known)
          return known
        }
        if (knowledge === 'maybe') maybes.push(served(operations))
        if (knowledge === 'unclear') unclear ??= served(operations)
      }
      return unconfirmed(licenseKey, unclear, maybes, only.operations)
    } finally {
      patience.end()
    }
  }

  /** No service says that it knows the license key. */
  function unconfirmed(
    licenseKey: string,
    unclear: LicenseOperations | undefined,
    maybes: readonly LicenseOperations[],
    fallback: LicenseOperations,
  ): LicenseOperations {
    const maybe = oneByOne(maybes.map((service) => learning(licenseKey, service, service)))
    if (unclear !== undefined) {
      const cautious = withoutRefusals(unclear, notReached)
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
        if (reply.status === 200) remember(licenseKey, service)
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

const notReached: Reply = refused(502, 'upstream-unreachable')
const unknown: Reply = refused(404, 'not-found')

/**
 * A service knows the license key, and one before it, which would serve it, can't be asked. The device may belong to that
 * one: what is good is passed on, and a new device is activated here, but nothing is called gone. An empty list alone
 * proves nothing, because showing a key is not refused.
 */
function besideAnUnclearOne(service: LicenseOperations): LicenseOperations {
  return { ...withoutRefusals(service, notReached), keys: service.keys }
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
 * Activates at a service that was slow. The app may have read another service's list instead of this one's, so this one's
 * is read first: a device that it lists keeps its seat.
 */
function withoutSecondSeat(service: LicenseOperations): LicenseOperations['activate'] {
  return async (licenseId, name, leaseRequest) => {
    const activate = () => service.activate(licenseId, name, leaseRequest)
    const { fingerprint } = parseKeyName(name)
    if (fingerprint === null) return activate()
    const listed = await service.keys(licenseId, 1)
    // With such a token, an app doesn't look for an earlier activation either.
    if (listed.code === 'list-not-allowed') return activate()
    if (listed.status !== 200) return listed.code === 'list-unreadable' ? notReached : listed
    const { data, links, meta } = (listed.body ?? {}) as KeysBody
    const own = data?.find((key) => parseKeyName(key.name).fingerprint === fingerprint)
    if (own !== undefined) {
      const reply = await service.validate(licenseId, own.id, leaseRequest, fingerprint)
      // A service that lists the device knows the license, so its reason counts. A 404 contradicts the list.
      return reply.status === 404 || reply.status === 410 ? notReached : reply
    }
    const isWhole = data !== undefined && links?.next == null && !meta?.unreadable
    return isWhole ? activate() : notReached
  }
}

/** The body of a reply with a list of keys. */
interface KeysBody {
  readonly data?: readonly LicenseKey[]
  readonly links?: { readonly next?: string | null }
  readonly meta?: { readonly unreadable?: number }
}

/**
 * A service that knows the license key, beside others that may know it too. A device may have been activated at one of
 * them while this one couldn't be asked, so they are asked before a key counts as unknown.
 */
function besideOthers(
  service: LicenseOperations,
  others: readonly UpstreamCandidate[],
  licenseKey: string,
): LicenseOperations {
  async function elsewhere(reply: Reply, ask: (other: LicenseOperations) => Promise<Reply>): Promise<Reply> {
    if (reply.status !== 404 && reply.status !== 410) return reply
    for (const { operations, knows } of others) {
      const knowledge = await knows(licenseKey).catch((): Knowledge => 'unclear')
      if (knowledge === 'unclear') return notReached
      const other = knowledge === 'no' ? reply : await ask(operations)
      if (other.status === 200) return other
      if (other.status >= 500) return notReached
    }
    return reply
  }

  return {
    ...service,
    key: async (...request) => elsewhere(await service.key(...request), (other) => other.key(...request)),
    validate: async (...request) =>
      elsewhere(await service.validate(...request), (other) => other.validate(...request)),
    deactivate: async (...request) =>
      elsewhere(await service.deactivate(...request), (other) => other.deactivate(...request)),
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
