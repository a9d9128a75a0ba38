import type { Server } from 'node:http'

/** A server that listens, and how to stop it. */
export interface Listening {
  readonly port: number
  /** Takes no more connections, lets requests under way end, then closes what is left. */
  close(): Promise<void>
}

/** How long requests under way may take to end. */
const closeGraceMs = 10_000

/** @throws the server's own error when it cannot listen, such as `EADDRINUSE`. */
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
        // A connection kept alive goes idle only after its last answer.
        const sweep = setInterval(() => server.closeIdleConnections(), 50)
        server.close(() => {
          clearTimeout(timer)
          clearInterval(sweep)
          resolve()
        })
      }),
  }
}
