import type { Operation } from './operations.ts'
import { createSubscriptions, type Subscriptions } from './subscriptions.ts'

/** One request the service saw. */
export interface RequestRecord {
  /** Counts up from 1. */
  id: number
  /** When it came, as an ISO 8601 date. */
  at: string
  method: string
  /** Path below the base path, with the query. */
  path: string
  /** `null` for a request that is no operation of the interface. */
  operation: Operation | null
  /** Headers by lower-case name, the access token masked. */
  headers: Record<string, string>
  /** The body as JSON, as text where it is no JSON, or `null` where there was none. */
  body: unknown
  /** The status answered; `null` while under way, and where the connection was cut instead. */
  status: number | null
  /** `pending` while under way, `cut` when the connection ended without a whole answer. */
  outcome: 'pending' | 'answered' | 'cut'
  /** The faults that struck, by name. */
  faults: string[]
}

/** What happened last, in a bounded list. */
export interface RequestLog {
  /** A request came, or something became of it. */
  changes: Subscriptions<RequestRecord>
  cleared: Subscriptions<void>
  /** How many requests are kept. */
  readonly size: number
  /** Adds a request under way. */
  open(record: Omit<RequestRecord, 'id' | 'status' | 'outcome' | 'faults'>): RequestRecord
  /** Notes what became of a request. */
  settle(record: RequestRecord, end: Partial<Pick<RequestRecord, 'status' | 'outcome' | 'faults'>>): void
  /** Copies, oldest first. */
  list(): RequestRecord[]
  clear(): void
}

/**
 * An empty log.
 *
 * @param limit How many requests are kept; older ones are dropped.
 */
export function createRequestLog(limit: number): RequestLog {
  const changes = createSubscriptions<RequestRecord>()
  const cleared = createSubscriptions<void>()
  let records: RequestRecord[] = []
  let count = 0
  return {
    changes,
    cleared,
    get size() {
      return Math.min(records.length, limit)
    },
    open(fields) {
      count += 1
      const record: RequestRecord = { id: count, ...fields, status: null, outcome: 'pending', faults: [] }
      records.push(record)
      // Dropping half at once keeps a long walk from shifting the list at every request.
      if (records.length > limit * 2) records = records.slice(-limit)
      changes.publish(record)
      return record
    },
    settle(record, end) {
      Object.assign(record, end)
      changes.publish(record)
    },
    list: () => structuredClone(records.slice(-limit)),
    clear() {
      records = []
      cleared.publish()
    },
  }
}

const secretHeaders = new Set(['authorization', 'proxy-authorization', 'cookie'])

/** Headers as the log shows them: `Bearer ****`, never the token. */
export function maskHeaders(headers: Iterable<[string, string]>): Record<string, string> {
  const masked: Record<string, string> = {}
  for (const [name, value] of headers) {
    if (!secretHeaders.has(name)) masked[name] = value
    else masked[name] = /^Bearer /.test(value) ? 'Bearer ****' : '****'
  }
  return masked
}
