/** Keeps several processes of one app, on one record, from taking or freeing seats at the same time. */
export interface LockPort {
  /**
   * Waits until no other process holds the lock. Never rejects.
   *
   * @returns releases the lock; `null` when it cannot be had in time, and the operation goes on without it.
   */
  acquire(): Promise<(() => Promise<void>) | null>
  /** Stops waiting, now and later: the app quits. */
  end(): void
}
