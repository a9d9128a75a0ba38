import type { Survival } from './actions.ts'

/** Decides who goes on: whatever a process waits for comes when it is given the turn, and never once it is dead. */
export interface Turns {
  /** Waits for a turn. @param onDeath what still happens when the process dies while it waits. */
  take(owner: object, onDeath: (survives: Survival) => void): Promise<void>
  isWaiting(owner: object): boolean
  drop(owner: object, survives: Survival): void
  /** Gives turns until so many were given, or until nobody waits. */
  give(count: number): Promise<void>
}

interface Waiting {
  readonly owner: object
  readonly go: () => void
  readonly onDeath: (survives: Survival) => void
}

/**
 * @param order whose turn it is, modulo those who wait; the longest waiting once it is used up.
 * @param isWorking whether somebody is at work without waiting for a turn.
 */
export function createTurns(order: readonly number[], isWorking: () => boolean = () => false): Turns {
  let waiting: readonly Waiting[] = []
  let given = 0

  return {
    take: (owner, onDeath) =>
      new Promise((resolve) => {
        waiting = [...waiting, { owner, go: resolve, onDeath }]
      }),
    isWaiting: (owner) => waiting.some((entry) => entry.owner === owner),
    drop(owner, survives) {
      const dying = waiting.filter((entry) => entry.owner === owner)
      waiting = waiting.filter((entry) => entry.owner !== owner)
      for (const entry of dying) entry.onDeath(survives)
    },
    async give(count) {
      await settle(isWorking)
      for (let left = count; left > 0 && waiting.length > 0; left -= 1) {
        const next = waiting[(order[given] ?? 0) % waiting.length]
        given += 1
        waiting = waiting.filter((entry) => entry !== next)
        next?.go()
        await settle(isWorking)
      }
    },
  }
}

/** Lets every promise that waits for no turn settle. */
async function settle(isWorking: () => boolean): Promise<void> {
  do await new Promise<void>((resolve) => setImmediate(resolve))
  while (isWorking())
}
