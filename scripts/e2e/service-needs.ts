import { type FaceName, faceNames } from '@latchkey/emulator'

/** What a test can need from the service. */
export type ServiceNeed =
  | 'the list of devices'
  | 'the number of seats in use'
  | 'the end of the license'
  | 'the end of an ended license'
  | 'the reason of a refusal'
  | 'license keys of a known form'
  | 'license keys unlike a password'
  | 'an entitlement without a lease'
  | 'an address as `service`'
  | 'the service’s own address as `service`'

/** What is left out where a service doesn't provide something. */
export interface Gap {
  /** What the tests check that are left out, as one sentence for the page on licensing services. */
  readonly checks: string
  /** With the adapter in the app. */
  readonly inApp: readonly FaceName[]
  /** With the gateway in front. */
  readonly behindGateway: readonly FaceName[]
}

const others: readonly FaceName[] = faceNames.filter((name) => name !== 'commerce')

/** Where an app doesn't have what a test needs. The page on licensing services lists the same. */
export const gaps: Readonly<Record<ServiceNeed, Gap>> = {
  'the list of devices': {
    checks:
      'An app notices at once that its seat was freed elsewhere, and takes no second seat after its record was lost.',
    inApp: ['dodo', 'lemon-squeezy', 'polar'],
    behindGateway: [],
  },
  'the number of seats in use': {
    checks: 'The activation window shows how many seats are in use.',
    inApp: ['dodo', 'polar'],
    behindGateway: ['polar'],
  },
  'the end of the license': {
    checks: 'An app announces the end of its license, and locks on time while the service is unreachable.',
    inApp: ['dodo'],
    behindGateway: [],
  },
  'the end of an ended license': {
    checks:
      "With `expiry: 'updates'`, an ended license covers earlier releases, even if its end was moved after the activation.",
    inApp: ['dodo', 'polar'],
    behindGateway: ['polar'],
  },
  'the reason of a refusal': {
    checks: 'An app locks at once when its license is suspended.',
    inApp: ['dodo'],
    behindGateway: [],
  },
  'license keys of a known form': {
    checks: 'Half a license key is refused before anything is sent.',
    inApp: ['dodo', 'keygen'],
    behindGateway: others,
  },
  'license keys unlike a password': {
    checks: 'A copied license key is offered without pasting it.',
    inApp: ['dodo'],
    behindGateway: ['dodo'],
  },
  'an entitlement without a lease': {
    checks: 'The `renewalGraceDays` of an app can be longer than the gateway’s.',
    inApp: [],
    behindGateway: faceNames,
  },
  'an address as `service`': {
    checks: 'The options of an address work, such as `timeout`.',
    inApp: others,
    behindGateway: [],
  },
  'the service’s own address as `service`': {
    checks: 'An access token and headers of the app reach the service, and no answer comes from a cache.',
    inApp: others,
    behindGateway: faceNames,
  },
}

/** Returns why a test doesn't apply to a service, as one sentence. */
export function reasonAgainst(serviceName: string, need: ServiceNeed): string {
  return `It needs ${need}, which an app doesn’t have with ${serviceName}.`
}
