/** Whether two IDs may be the same activation's. A service may change the case of a UUID. */
export function mayBeSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}
