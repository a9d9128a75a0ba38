import { isSameId } from '@latchkey/commerce'
import { type Reply, refused, unproven } from '../http/reply.ts'
import { uuidOnly } from '../http/routes.ts'
import {
  type KeyAsked,
  type LicenseAsked,
  type LicenseOperations,
  nilKeyId,
} from '../licenses/license-operations.ts'
import { documentsRefusals } from '../licenses/replies.ts'
import { createMemory } from '../memory.ts'
import type { OpenedUpstream } from './upstream.ts'

/** One of several services behind a gateway. */
export interface Candidate {
  readonly upstream: OpenedUpstream
  readonly operations: LicenseOperations
}

/** Maximum number of license keys to remember the service of. */
const maxRemembered = 50_000

const unknown: Reply = refused(404, 'not-found')

/**
 * Creates the operations for several services. The form of a license key says which services may know it. They are asked
 * in order, and the one that knows it is remembered. While one of them can't be asked, nothing is called gone, because the
 * device may belong to it.
 */
export function chooseUpstream(candidates: readonly Candidate[]): LicenseOperations {
  const remembered = createMemory<Candidate>(maxRemembered)

  /** Asks for the list of devices. An empty one says nothing if the service returns it for unknown licenses, too. */
  async function resolve(asked: LicenseAsked): Promise<Resolved> {
    const { licenseKey } = asked
    const possible = candidates.filter((candidate) => mayKnow(candidate, licenseKey))
    const known = possible.length === 1 ? possible[0] : remembered.get(licenseKey)
    if (known !== undefined) return { possible, known, unreached: null, list: null, askable: [known] }
    let unreached: Reply | null = null
    let list: Reply | null = null
    const askable: Candidate[] = []
    for (const candidate of possible) {
      const reply = await candidate.operations.keys({ ...spelledFor(candidate, asked), page: 1 })
      const isDocumented = documentsRefusals(candidate.upstream.service)
      if (reply.status === 200 && (isDocumented || hasKeys(reply))) {
        // A cache may return another license's list, so the service of an undocumented one is remembered when it serves it.
        if (unreached === null && isDocumented) remembered.set(licenseKey, candidate)
        const others = possible.filter((other) => other !== candidate)
        return { possible, known: candidate, unreached, list, askable: [candidate, ...others] }
      }
      if (isUnclear(reply)) unreached ??= unreachedReply(candidate, reply)
      // An app activates without the list of a service that refuses it.
      if (reply.status === 200 || reply.status === 403) list ??= reply
      if (reply.status < 500) askable.push(candidate)
    }
    return { possible, known: null, unreached, list, askable }
  }

  /**
   * Asks about a key that a device has. If the service that knows the license doesn't know the key, it may be another
   * service's, for example of a license that was moved.
   *
   * @param unknownKey the reply if no service knows the key.
   */
  async function askAbout(
    operation: 'key' | 'validate' | 'deactivate',
    asked: KeyAsked,
    unknownKey: Reply,
  ): Promise<Reply> {
    const askAt = (candidate: Candidate): Promise<Reply> =>
      candidate.operations[operation](spelledFor(candidate, asked))
    const { possible, known, unreached } = await resolve(asked)
    const reply = known === null ? null : await askAt(known)
    if (known !== null && reply !== null) {
      if (possible.length === 1) return reply
      if (isGood(reply)) remembered.set(asked.licenseKey, known)
      // While another one can't be asked, only a good answer counts.
      if (isGood(reply) || (unreached === null && reply.status < 500 && !isUnknown(reply))) return reply
    }
    let missing = unreached
    for (const candidate of possible.filter((one) => one !== known)) {
      const other = await candidate.operations.validate(
        spelledFor(candidate, { ...asked, leaseRequest: null }),
      )
      if (isGood(other)) {
        remembered.set(asked.licenseKey, candidate)
        return askAt(candidate)
      }
      if (isUnclear(other)) missing ??= unreachedReply(candidate, other)
    }
    return missing ?? reply ?? unknownKey
  }

  return {
    async keys(asked) {
      const { known, unreached, list } = await resolve(asked)
      if (known === null) return list ?? unreached ?? unknown
      const reply = await known.operations.keys(spelledFor(known, asked))
      // The device may belong to the one that can't be asked.
      return unreached !== null && !hasKeys(reply) ? unreached : reply
    },

    async key(asked) {
      if (asked.keyId !== nilKeyId) return askAbout('key', asked, unproven(null))
      // Asks no service, so that made-up license keys, which aren't counted here, don't reach one.
      const first = candidates.find((candidate) => mayKnow(candidate, asked.licenseKey)) ?? candidates[0]
      const licenseKey = uuidOnly.test(asked.licenseKey) ? asked.licenseKey.toLowerCase() : asked.licenseKey
      return first?.operations.key({ ...asked, licenseKey }) ?? unknown
    },

    async activate(asked) {
      const { unreached, askable } = await resolve(asked)
      let refusal: Reply | null = null
      for (const candidate of askable) {
        const reply = await candidate.operations.activate(spelledFor(candidate, asked))
        if (reply.status === 200) remembered.set(asked.licenseKey, candidate)
        // Any other reply may have taken a seat, so no other service is asked then.
        if (!isUnknownLicense(reply)) return reply
        refusal ??= reply
      }
      return unreached ?? refusal ?? unknown
    },

    validate: (asked) => askAbout('validate', asked, unknown),
    deactivate: (asked) => askAbout('deactivate', asked, unproven(null)),
  }
}

/** Which service knows a license key. */
interface Resolved {
  /** The services that have license keys of this form. */
  readonly possible: readonly Candidate[]
  readonly known: Candidate | null
  /** The reply if a service couldn't be asked. */
  readonly unreached: Reply | null
  /** What the app gets as list if no service says that it knows the license key: an empty or a refused one. */
  readonly list: Reply | null
  /** The services to activate at, in order. */
  readonly askable: readonly Candidate[]
}

/** Whether a text has the form of the service's license keys. */
function mayKnow({ upstream: { service } }: Candidate, licenseKey: string): boolean {
  const found = service.findLicenseKey(licenseKey)
  return found.ok && isSameId(found.licenseKey, licenseKey)
}

/** The commerce service's UUIDs are in lower case. */
function spelledFor<Asked extends LicenseAsked & Partial<KeyAsked>>(
  { upstream: { usesUuids } }: Candidate,
  asked: Asked,
): Asked {
  if (!usesUuids) return asked
  const { licenseKey, keyId } = asked
  const key = keyId === undefined ? {} : { keyId: keyId.toLowerCase() }
  return { ...asked, licenseKey: licenseKey.toLowerCase(), ...key }
}

function hasKeys({ body }: Reply): boolean {
  return body !== null && 'data' in body && Array.isArray(body.data) && body.data.length > 0
}

/** A license that has ended at one service may be good at another one. */
function isGood({ status, isRefusal }: Reply): boolean {
  return status === 200 && isRefusal !== true
}

function isUnknown({ status }: Reply): boolean {
  return status === 404 || status === 410
}

/** Whether a service refused to activate a license that it doesn't know. With a remark, it knows the license. */
function isUnknownLicense({ code, body, remark }: Reply): boolean {
  return (code === 'not-found' || code === 'gone') && body !== null && remark === undefined
}

/** Whether a reply doesn't say if the service knows the license: it can't be asked, or a proxy answered. */
function isUnclear({ status, body, code }: Reply): boolean {
  return status >= 500 || body === null || code === 'list-not-allowed' || code === 'list-unreadable'
}

/** Returns the reply if a service can't be asked. It differs only in the log. */
function unreachedReply({ upstream: { service } }: Candidate, { code }: Reply): Reply {
  const reply = refused(502, 'upstream-unreachable')
  if (code !== 'upstream-unauthorized' && code !== 'list-not-allowed') return reply
  return { ...reply, remark: 'token-refused', detail: `${service.name} refuses the gateway's token` }
}
