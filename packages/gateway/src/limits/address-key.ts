/**
 * What a client's address is counted by: IPv4 whole, IPv6 by its first 64 bits, for one line of one household has all of
 * the rest to itself.
 */
export function addressKey(address: string): string {
  const bare = withoutPort(address).replace(/%.*$/, '')
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1]
  if (mapped !== undefined) return mapped
  if (!bare.includes(':')) return bare
  const [head = '', tail] = bare.toLowerCase().split('::', 2)
  const groups = head === '' ? [] : head.split(':')
  const tailGroups = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - tailGroups.length)
  const all = [...groups, ...Array<string>(zeros).fill('0'), ...tailGroups]
  return `${all
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`
}

/** Some proxies, Azure's among them, write the port as well: another one for each connection. */
function withoutPort(address: string): string {
  return /^\[([^\]]*)\](?::\d+)?$/.exec(address)?.[1] ?? address.replace(/^([\d.]+):\d+$/, '$1')
}
