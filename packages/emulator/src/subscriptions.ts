/** An event source. */
export interface Subscriptions<Event> {
  /** Adds a listener; returns a function that removes it. */
  subscribe(listener: (event: Event) => void): () => void
  /** Calls every listener. */
  publish(event: Event): void
}

/** Creates an event source without listeners. */
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
