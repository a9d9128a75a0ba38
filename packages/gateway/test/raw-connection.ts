import { connect } from 'node:net'

/** Sends exactly these bytes to a server, and returns its response when the server has closed the connection. */
export function rawExchange(origin: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(origin)
  return new Promise((resolve, reject) => {
    let said = ''
    const socket = connect(Number(port), hostname)
    socket.setEncoding('latin1')
    socket.once('connect', () => socket.write(bytes, 'latin1'))
    socket.on('data', (text: string) => {
      said += text
    })
    socket.once('close', () => resolve(said))
    socket.once('error', (error: NodeJS.ErrnoException) => {
      // The server may close the connection before all bytes have arrived.
      if (error.code === 'ECONNREFUSED') reject(error)
    })
  })
}

/** Returns the status of each response in a server's output. */
export function statusesIn(said: string): number[] {
  return [...said.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
}
