/** Keeps several processes of one app with one record from taking or freeing seats at the same time. */
export interface LockPort {
  /**
   * Waits until no other process holds the lock. Never rejects.
   *
   * @returns a function that releases the lock; `null` if the lock wasn't acquired in time. Then the operation
   * continues without it.
   */
  acquire(): Promise<(() => Promise<void>) | null>
  /** Stops waiting, now and later, because the app quits. */
  end(): void
}
