import type { Server } from 'node:http'

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
