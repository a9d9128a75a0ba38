import { type FaceName, faceNames } from '@latchkey/emulator'

/** What a test can need from the service. */
export type ServiceNeed =
  | 'the list of devices'
  | 'the number of seats in use'
  | 'the end of the license'
  | 'the end of an ended license'
  | 'the reason of a refusal'
  | 'a question before an activation'
  | 'license keys of a known form'
  | 'license keys unlike a password'
  | 'an entitlement without a lease'
  | 'an address as `service`'
  | 'the service’s own address as `service`'

/** The services without it. */
export interface Gap {
  /** With the adapter in the app. */
  readonly inApp: readonly FaceName[]
  /** With the gateway in front. */
  readonly behindGateway: readonly FaceName[]
}

const others: readonly FaceName[] = faceNames.filter((name) => name !== 'commerce')

/** Where an app doesn't have what a test needs. The page on licensing services lists the same. */
export const gaps: Readonly<Record<ServiceNeed, Gap>> = {
  'the list of devices': { inApp: ['dodo', 'lemon-squeezy', 'polar'], behindGateway: [] },
  'the number of seats in use': { inApp: ['dodo', 'polar'], behindGateway: ['polar'] },
  'the end of the license': { inApp: ['dodo'], behindGateway: [] },
  'the end of an ended license': { inApp: ['dodo', 'polar'], behindGateway: ['polar'] },
  'the reason of a refusal': { inApp: ['dodo'], behindGateway: [] },
  'a question before an activation': { inApp: ['dodo'], behindGateway: [] },
  'license keys of a known form': { inApp: ['dodo', 'keygen'], behindGateway: others },
  'license keys unlike a password': { inApp: ['dodo'], behindGateway: ['dodo'] },
  'an entitlement without a lease': { inApp: [], behindGateway: faceNames },
  'an address as `service`': { inApp: others, behindGateway: [] },
  'the service’s own address as `service`': { inApp: others, behindGateway: faceNames },
}

/** Returns why a test doesn't apply to a service, as one sentence. */
export function reasonAgainst(serviceName: string, need: ServiceNeed): string {
  return `It needs ${need}, which an app doesn’t have with ${serviceName}.`
}
