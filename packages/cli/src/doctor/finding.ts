/** One thing the doctor looked at. */
export interface Finding {
  readonly check:
    | 'base URL'
    | 'reachable'
    | 'access token'
    | 'clock'
    | 'latency'
    | 'schema'
    | 'list keys'
    | 'activate'
    | 'show key'
    | 'validate'
    | 'deactivate'
  /** `bad` has to be repaired, `note` is worth knowing. */
  readonly verdict: 'good' | 'note' | 'bad'
  readonly detail: string
}
