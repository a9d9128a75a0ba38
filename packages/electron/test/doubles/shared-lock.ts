import type { ClockPort, LockPort } from '../../src/core/ports.ts'

/** A lock that several cores of a test share, as processes share a file. */
export function createSharedLock(): { port(clock: ClockPort): LockPort } {
  let isHeld = false
  return {
    port(clock) {
      let hasEnded = false
      return {
        async acquire() {
          while (isHeld) {
            if (hasEnded) return { kind: 'ended' }
            await new Promise<void>((resolve) => void clock.after(50, resolve))
          }
          isHeld = true
          return {
            kind: 'held',
            release: async () => {
              isHeld = false
            },
          }
        },
        end() {
          hasEnded = true
        },
      }
    },
  }
}
