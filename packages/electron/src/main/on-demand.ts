/**
 * Loads something at its first use, once. If that fails, the next use tries again.
 *
 * @returns a function that loads it and resolves with it.
 */
export function onDemand<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loading: Promise<Value> | null = null
  return async () => {
    loading ??= load()
    const own = loading
    try {
      return await own
    } catch (error) {
      if (loading === own) loading = null
      throw error
    }
  }
}

/** Uses something that the app can do without, such as a log line, as soon as it is loaded. Does nothing if it can't be. */
export function whenLoaded<Value>(load: () => Promise<Value>, use: (value: Value) => void): void {
  load().then(use, () => {})
}

/** Loads everything that a launch doesn't need. Rejects if an update has replaced the app's files meanwhile. */
export function loadLater(): Promise<typeof import('./later.ts')> {
  return import('./later.ts')
}
