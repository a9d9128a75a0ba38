/** The operations of the interface, by the short names used in faults, dialects and the request log. */
export const operations = [
  'keys',
  'key',
  'activate',
  'validate',
  'deactivate',
  'discounts',
  'customers',
] as const

/** One operation of the interface. */
export type Operation = (typeof operations)[number]
