/** The result of one of the doctor's checks. */
export interface Finding {
  readonly check:
    | 'base URL'
    | 'reachable'
    | 'access token'
    | 'proxy'
    | 'service'
    | 'license'
    | 'clock'
    | 'latency'
    | 'schema'
    | 'list keys'
    | 'activate'
    | 'show key'
    | 'validate'
    | 'deactivate'
    | 'leases'
    | 'offline page'
  /** `bad` must be fixed, `note` is for information. */
  readonly verdict: 'good' | 'note' | 'bad'
  readonly detail: string
}
