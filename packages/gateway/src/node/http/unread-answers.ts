import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

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
