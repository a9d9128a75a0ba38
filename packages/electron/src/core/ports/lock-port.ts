/** Keeps several processes of one app with one record from doing the same thing at the same time. */
export interface LockPort {
  /** Waits until no other process holds the lock. Never rejects. Without the lock, the caller continues anyway. */
  acquire(): Promise<LockOutcome>
  /** Stops waiting, now and later, because the app quits. */
  end(): void
}

/** The lock, or why it wasn't acquired. */
export type LockOutcome =
  | { readonly kind: 'held'; readonly release: () => Promise<void> }
  /** `busy`: another process held it for too long. `unavailable`: the folder takes no lock file. `ended`: the app quits. */
  | { readonly kind: 'busy' | 'unavailable' | 'ended' }

/**
 * Runs a task while no other process holds the lock. If the lock can't be acquired, the task runs without it.
 *
 * @param lock `undefined` if no other process uses the record.
 * @param onOutcome called with the result of acquiring the lock.
 */
export async function withLock<Outcome>(
  lock: LockPort | undefined,
  onOutcome: (kind: LockOutcome['kind']) => void,
  task: () => Promise<Outcome>,
): Promise<Outcome> {
  if (lock === undefined) return task()
  const acquired = await lock.acquire()
  onOutcome(acquired.kind)
  try {
    return await task()
  } finally {
    if (acquired.kind === 'held') await acquired.release()
  }
}
