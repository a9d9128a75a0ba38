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
  return mappedAddress(all) ?? networkOf(all)
}

/** Returns an IPv4 address that is written as an IPv6 address in hexadecimal digits, as some proxies do. */
function mappedAddress(groups: readonly string[]): string | null {
  const [low, high, ...others] = groups.map((group) => Number.parseInt(group, 16)).reverse()
  const isMapped = others.length === 6 && others.every((group, index) => group === (index === 0 ? 0xffff : 0))
  if (!isMapped || high === undefined || low === undefined) return null
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

function networkOf(groups: readonly string[]): string {
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`
}

/** Removes the port, which some proxies (such as Azure's) append and which differs for each connection. */
function withoutPort(address: string): string {
  return /^\[([^\]]*)\](?::\d+)?$/.exec(address)?.[1] ?? address.replace(/^([\d.]+):\d+$/, '$1')
}
