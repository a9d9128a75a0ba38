const ipv4 = ['127.0.0.1', '0.0.0.0', 'localhost']
const ipv6 = ['[::1]', '[::]', 'localhost']

/** The host names on this machine that reach a server, by the address that it listens on. */
const ownHosts: ReadonlyMap<string, readonly string[]> = new Map([
  ['0.0.0.0', ipv4],
  ['127.0.0.1', ipv4],
  ['::', [...ipv4, ...ipv6]],
  ['::1', ipv6],
  ['localhost', [...ipv4, ...ipv6]],
])

/**
 * Whether an address is the gateway's own, so that it would send every request to itself.
 *
 * @param baseUrl a valid URL.
 * @param host the address that the gateway listens on.
 * @param port the port that it listens on; 0 for any free port, which can't be in a setting.
 */
export function isOwnAddress(baseUrl: string, host: string, port: number): boolean {
  const url = new URL(baseUrl)
  const target = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  if (port === 0 || target !== port) return false
  return (
    url.hostname === host.toLowerCase() || ownHosts.get(host.toLowerCase())?.includes(url.hostname) === true
  )
}
