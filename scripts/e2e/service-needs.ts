import type { FaceName } from '@latchkey/emulator'

/** How an app reaches its service. The gateway gives an app the same, whichever service is behind it. */
export type Access = FaceName | 'gateway'

/** What a test can need from the service. */
export type ServiceNeed =
  | 'the list of devices'
  | 'the number of seats in use'
  | 'the end of the license'
  | 'license keys of a known form'
  | 'a question before an activation'
  | 'an address as `service`'
  | 'the service’s own address as `service`'

/** Where an app has what a test needs. The page on licensing services lists the same. */
export const servicesWith: Readonly<Record<ServiceNeed, readonly Access[]>> = {
  'the list of devices': ['commerce', 'keygen', 'gateway'],
  'the number of seats in use': ['commerce', 'keygen', 'lemon-squeezy', 'gateway'],
  'the end of the license': ['commerce', 'keygen', 'lemon-squeezy', 'polar', 'gateway'],
  'a question before an activation': ['commerce', 'keygen', 'lemon-squeezy', 'polar', 'gateway'],
  'license keys of a known form': ['commerce', 'lemon-squeezy', 'polar'],
  'an address as `service`': ['commerce', 'gateway'],
  'the service’s own address as `service`': ['commerce'],
}

/** Returns why a test doesn't apply to a service, as one sentence. */
export function reasonAgainst(serviceName: string, need: ServiceNeed): string {
  return `It needs ${need}, which an app doesn’t have with ${serviceName}.`
}
