/** Something one can listen to. */
export interface Subscriptions<Event> {
  /** Calls `listener` from now on; returns what ends that. */
  subscribe(listener: (event: Event) => void): () => void
  /** Tells every listener. */
  publish(event: Event): void
}

/** An empty list of listeners. */
export function createSubscriptions<Event>(): Subscriptions<Event> {
  const listeners = new Set<(event: Event) => void>()
  return {
    subscribe(listener) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    publish(event) {
      for (const listener of listeners) listener(event)
    },
  }
}
