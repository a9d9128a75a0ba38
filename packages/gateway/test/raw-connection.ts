import { connect } from 'node:net'

/**
 * Sends exactly these bytes to a server and returns its response. The response ends when the server closes the
 * connection or sends nothing for `quietMs`.
 */
export function rawExchange(origin: string, bytes: string, quietMs = 250): Promise<string> {
  const { hostname, port } = new URL(origin)
  return new Promise((resolve, reject) => {
    let said = ''
    const socket = connect(Number(port), hostname)
    let timer: NodeJS.Timeout | undefined
    const end = (): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(said)
    }
    socket.setEncoding('latin1')
    socket.once('connect', () => {
      timer = setTimeout(end, 5_000)
      socket.write(bytes, 'latin1')
    })
    socket.on('data', (text: string) => {
      said += text
      clearTimeout(timer)
      timer = setTimeout(end, quietMs)
    })
    socket.once('close', end)
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') reject(error)
      else end()
    })
  })
}

/** Returns the status of each response in a server's output. */
export function statusesIn(said: string): number[] {
  return [...said.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
}
