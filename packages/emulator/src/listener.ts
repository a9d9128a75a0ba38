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
  await bind(server, port, host)
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  let hasEnded = false
  let reopening: NodeJS.Timeout | undefined
  const close = async (reopenAfterMs?: number): Promise<void> => {
    clearTimeout(reopening)
    if (server.listening) {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    }
    if (reopenAfterMs !== undefined && !hasEnded)
      reopening = setTimeout(() => void reopen(Number.POSITIVE_INFINITY), reopenAfterMs)
  }
  const open = (): Promise<void> => {
    clearTimeout(reopening)
    return reopen(Date.now() + reopenPatienceMs)
  }
  const reopen = async (giveUpAt: number): Promise<void> => {
    while (!server.listening && !hasEnded) {
      try {
        await bind(server, address.port, host)
      } catch (error) {
        if (Date.now() > giveUpAt) throw error
        await delay(50)
      }
    }
  }
  return {
    port: address.port,
    get isListening() {
      return server.listening
    },
    close,
    open,
    async end() {
      hasEnded = true
      await close()
    },
  }
}

function bind(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const onListening = (): void => {
      server.off('error', onError)
      resolve()
    }
    const onError = (error: Error): void => {
      server.off('listening', onListening)
      reject(error)
    }
    server.once('listening', onListening)
    server.once('error', onError)
    server.listen(port, host)
  })
}
