import type { CallOptions, Licenses } from '@latchkey/commerce'
import { type Reply, refused } from '../http/reply.ts'
import { sha256 } from '../sha256.ts'
import type { CheckedUpstream } from './checked-upstream.ts'

/** The request header with the marks of the gateways that a request has passed, separated by commas. */
export const viaHeader = 'latchkey-via'

/** Anything else in the header is from a stranger, and isn't passed on. */
const readableVia = /^[\w-]{22}(?:, ?[\w-]{22}){0,9}$/

/** Keeps the marks of a request while it is handled. Node's `AsyncLocalStorage` is one. */
export interface PassedMarks {
  run<Result>(via: string, work: () => Result): Result
  getStore(): string | undefined
}

/** Recognizes requests that this gateway, or another instance with the same settings, sent to the service. */
export interface LoopGuard {
  /** The services. Requests to the commerce service have this gateway's mark. */
  readonly upstreams: readonly CheckedUpstream[]
  /** Runs an operation, unless the request has passed this gateway before. */
  unlessLooping(headers: Headers, run: () => Promise<Reply>): Promise<Reply>
}

/**
 * Creates a guard against a gateway whose upstream is its own public address. Each request would cause another one until
 * the first times out.
 *
 * @param passed also recognizes a ring of several gateways. `null` on runtimes that can't follow a request.
 */
export function createLoopGuard(
  given: readonly CheckedUpstream[],
  passed: PassedMarks | null = null,
): LoopGuard {
  const ownMarks: (() => Promise<string>)[] = []
  const upstreams = given.map((upstream): CheckedUpstream => {
    if (upstream.kind !== 'commerce') return upstream
    let mark: Promise<string> | undefined
    // Not at the start: Workers allow no cryptography then.
    const markOf = (): Promise<string> => {
      mark ??= sha256(`${viaHeader}\n${upstream.identity}`).then((hash) => hash.slice(0, 22))
      return mark
    }
    ownMarks.push(markOf)
    const via = async (): Promise<string> => {
      const earlier = passed?.getStore()
      return earlier === undefined ? await markOf() : `${earlier}, ${await markOf()}`
    }
    return { ...upstream, licenses: markedLicenses(upstream.licenses, via) }
  })
  return {
    upstreams,
    async unlessLooping(headers, run) {
      const via = headers.get(viaHeader)
      if (via === null || !readableVia.test(via)) return run()
      const marks = via.split(/, ?/)
      for (const mark of ownMarks) if (marks.includes(await mark())) return looping
      return passed === null ? run() : passed.run(via, run)
    },
  }
}

const looping: Reply = {
  ...refused(508, 'upstream-loop'),
  detail:
    "LATCHKEY_UPSTREAM, or upstream.baseUrl in code, leads back to this gateway: set it to the license service's address",
}

/** Adds the header to every request. */
function markedLicenses(licenses: Licenses, via: () => Promise<string>): Licenses {
  const marked = async <Call extends CallOptions>(call?: Call) => ({
    ...call,
    headers: { ...call?.headers, [viaHeader]: await via() },
  })
  return {
    keys: async (licenseId, call) => licenses.keys(licenseId, await marked(call)),
    keyList: async (licenseId, options) => licenses.keyList(licenseId, await marked(options)),
    key: async (licenseId, keyId, call) => licenses.key(licenseId, keyId, await marked(call)),
    activate: async (licenseId, input, call) => licenses.activate(licenseId, input, await marked(call)),
    validate: async (licenseId, input, call) => licenses.validate(licenseId, input, await marked(call)),
    deactivate: async (licenseId, input, call) => licenses.deactivate(licenseId, input, await marked(call)),
  }
}
