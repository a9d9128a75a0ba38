/**
 * Returns the rate-limit key of a client address: the whole IPv4 address, or the first 64 bits of an IPv6 address,
 * because a single connection usually gets a whole /64.
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

/** Removes the port, which some proxies (such as Azure's) append and which differs for each connection. */
function withoutPort(address: string): string {
  return /^\[([^\]]*)\](?::\d+)?$/.exec(address)?.[1] ?? address.replace(/^([\d.]+):\d+$/, '$1')
}
