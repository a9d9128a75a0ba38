import { once } from 'node:events'
import type { Server } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

/** A listening socket that can be closed and opened again. */
export interface Listener {
  readonly port: number
  readonly isListening: boolean
  /**
   * Closes the socket and every connection. New connections are refused.
   *
   * @param reopenAfterMs Time in milliseconds after which it opens again; if omitted, call `open`.
   */
  close(reopenAfterMs?: number): Promise<void>
  /** Listens again on the same port. Does nothing after `end`. */
  open(): Promise<void>
  /** Closes permanently. */
  end(): Promise<void>
}

/** How long to wait for a port that another process took in the meantime, in milliseconds. */
const reopenPatienceMs = 5_000

/**
 * Starts listening.
 *
 * @param port 0 uses any free port.
 * @throws The server's own error, such as `EADDRINUSE`.
 */
export async function listen(server: Server, port: number, host: string): Promise<Listener> {
  const bind = async (to: number): Promise<void> => {
    server.listen(to, host)
    await once(server, 'listening')
  }
  await bind(port)
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  let hasEnded = false
  let reopening: NodeJS.Timeout | undefined
  const open = async (giveUpAt: number): Promise<void> => {
    clearTimeout(reopening)
    while (!server.listening && !hasEnded) {
      try {
        await bind(address.port)
      } catch (error) {
        if (Date.now() > giveUpAt) throw error
        await delay(50)
      }
    }
  }
  const close = async (reopenAfterMs?: number): Promise<void> => {
    clearTimeout(reopening)
    if (server.listening) {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    }
    if (reopenAfterMs === undefined || hasEnded) return
    reopening = setTimeout(() => void open(Number.POSITIVE_INFINITY), reopenAfterMs)
  }
  return {
    port: address.port,
    get isListening() {
      return server.listening
    },
    close,
    open: () => open(Date.now() + reopenPatienceMs),
    end() {
      hasEnded = true
      return close()
    },
  }
}
