/** One thing the doctor looked at. */
export interface Finding {
  readonly check: 'base URL' | 'reachable' | 'access token' | 'clock' | 'latency' | 'schema'
  /** `bad` needs mending, `note` is worth knowing. */
  readonly verdict: 'good' | 'note' | 'bad'
  readonly detail: string
}
