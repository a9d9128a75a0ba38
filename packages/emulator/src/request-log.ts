import type { Operation } from './formats/format.ts'

/** One request that the service received. */
export interface RequestRecord {
  /** Starts at 1 and increases. */
  id: number
  /** When the request arrived, as an ISO 8601 date. */
  at: string
  method: string
  /** Path relative to the base path, with the query. */
  path: string
  /** `null` for a request that isn't an operation of the interface. */
  operation: Operation | null
  /** Headers by lower-case name, the access token masked. */
  headers: Record<string, string>
  /** The body as JSON, or as text if it isn't JSON; `null` if there was none. */
  body: unknown
  /** The response status; `null` while pending, and if the connection was cut instead. */
  status: number | null
  /** `pending` while the request is processed, `cut` if the connection ended without a complete answer. */
  outcome: 'pending' | 'answered' | 'cut'
  /** Why the token was refused, such as `the header Authorization is missing`, without the token; otherwise `null`. */
  refusedToken: string | null
  /** The names of the applied faults. */
  faults: string[]
}

/** The latest requests, up to a limit. */
export interface RequestLog {
  /** Adds a pending request. Its outcome is set in what this returns. */
  open(record: Omit<RequestRecord, 'id' | 'status' | 'outcome' | 'refusedToken' | 'faults'>): RequestRecord
  /** Notes why a request's token is refused, and writes a line about it. */
  noteRefusedToken(record: RequestRecord, reason: string): void
  /** Returns copies, oldest first. */
  list(): RequestRecord[]
  clear(): void
}

/**
 * Creates an empty log.
 *
 * @param limit How many requests to keep. Older ones are dropped.
 * @param writeLine Gets a line about each request whose token is refused.
 */
export function createRequestLog(limit: number, writeLine: (line: string) => void): RequestLog {
  let records: RequestRecord[] = []
  let count = 0
  return {
    open(fields) {
      count += 1
      const record: RequestRecord = {
        id: count,
        ...fields,
        status: null,
        outcome: 'pending',
        refusedToken: null,
        faults: [],
      }
      records.push(record)
      // Drop half at once, so that the list isn't shifted at every request.
      if (records.length > limit * 2) records = records.slice(-limit)
      return record
    },
    noteRefusedToken(record, reason) {
      record.refusedToken = reason
      writeLine(`${record.method} ${record.path} was refused: ${reason}.`)
    },
    list: () => structuredClone(records.slice(-limit)),
    clear() {
      records = []
    },
  }
}

const secretHeaders = new Set(['authorization', 'proxy-authorization', 'cookie'])

/** Returns the headers for the log: `Bearer ****` instead of the token. */
export function maskHeaders(headers: Iterable<[string, string]>): Record<string, string> {
  const masked: Record<string, string> = {}
  for (const [name, value] of headers) {
    if (!secretHeaders.has(name)) masked[name] = value
    else masked[name] = /^Bearer /.test(value) ? 'Bearer ****' : '****'
  }
  return masked
}
