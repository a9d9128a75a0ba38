import type { Survival } from './actions.ts'

/** Decides which process continues: a promise settles when its process gets the turn, and never after it was killed. */
export interface Turns {
  /** Waits for a turn. @param onDeath called if the process is killed while it waits. */
  take(owner: object, onDeath: (survives: Survival) => void): Promise<void>
  isWaiting(owner: object): boolean
  drop(owner: object, survives: Survival): void
  /** Gives that many turns, or until no process waits. */
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

/** Lets every promise settle that doesn't wait for a turn. */
async function settle(isWorking: () => boolean): Promise<void> {
  do await new Promise<void>((resolve) => setImmediate(resolve))
  while (isWorking())
}
