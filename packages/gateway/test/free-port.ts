import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * A port nobody listened on a moment ago. It lies below those that operating systems hand out by themselves, so that
 * nothing else that runs meanwhile is given it.
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
