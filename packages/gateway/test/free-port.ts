import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * Returns a free port. It is below the range that operating systems assign automatically, so that no other process
 * gets it in the meantime.
 */
export async function freePort(): Promise<number> {
  const port = randomInt(10_000, 32_000)
  const isFree = await new Promise<boolean>((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
  return isFree ? port : await freePort()
}
