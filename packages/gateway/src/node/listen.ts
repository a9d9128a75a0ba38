import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** A listening server. */
export interface Listening {
  readonly port: number
  /** Stops accepting connections, waits for running requests, then closes the remaining connections. */
  close(): Promise<void>
}

/** How long `close` waits for running requests. */
const closeGraceMs = 10_000

/** @throws the server's own error if it can't listen, such as `EADDRINUSE`. */
export async function listen(server: Server, port: number, host: string): Promise<Listening> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: () =>
      new Promise((resolve) => {
        const timer = setTimeout(() => server.closeAllConnections(), closeGraceMs)
        // A keep-alive connection only becomes idle after its last response.
        const sweep = setInterval(() => server.closeIdleConnections(), 50)
        server.close(() => {
          clearTimeout(timer)
          clearInterval(sweep)
          resolve()
        })
      }),
  }
}

/**
 * How long a client may read nothing of an answer, in milliseconds. Like the timeout of idle connections, it is longer
 * than the 60 s of common load balancers.
 */
const longestUnreadMs = 65_000

/**
 * Closes connections whose client doesn't read its answer. A connection whose request is still being handled stays open,
 * however slow the service is.
 */
export function closeUnreadAnswers(server: Server): void {
  const latest = new WeakMap<Socket, ServerResponse>()
  server.on('request', ({ socket }, answer) => latest.set(socket, answer))
  // Node calls this when nothing was sent or received for that long.
  server.setTimeout(longestUnreadMs, (socket) => {
    const isHandled = !socket.writableEnded && latest.get(socket)?.writableEnded === false
    if (isHandled) socket.setTimeout(server.timeout)
    else socket.destroy()
  })
}
