import type { RefusalReason } from '@latchkey/services'
import { exitCodes } from '../command-error.ts'
import type { Explanation } from './failure.ts'

const behind = 'the gateway answers, but'
const noList =
  'apps activate without looking for their earlier activation, so a reinstalled app takes another seat'
const lostBody =
  'the gateway receives the request without its body, or without Content-Type: application/json: look for a proxy in between that drops or changes them'
const { unreachable, unauthorized, unexpected, notFound } = exitCodes

/** The codes in a gateway's refusals. What to correct is on the gateway, not on this computer. */
const rows: readonly (readonly [
  code: string,
  text: string,
  exitCode: number,
  more?: Partial<Explanation>,
])[] = [
  [
    'upstream-unauthorized',
    `${behind} the service refuses its access token for this request: correct it in the gateway’s settings. If it is right, the license may be suspended or have ended`,
    unauthorized,
  ],
  [
    'upstream-unreachable',
    `${behind} can’t reach the service: check the service’s address in its settings, and its network`,
    unreachable,
  ],
  ['upstream-timeout', `${behind} the service didn’t answer it in time: try again later`, unreachable],
  ['upstream-busy', `${behind} the service is down or overloaded: try again later`, unreachable],
  [
    'upstream-unexpected-answer',
    `${behind} something else answers it in place of the service, or with a wrong signature: check the service’s address in its settings, or Keygen’s public key or account. The gateway’s log has the reason`,
    unexpected,
  ],
  [
    'upstream-misconfigured',
    `${behind} the service is set up in a way that it can’t use: see the gateway’s log`,
    unexpected,
  ],
  [
    'upstream-loop',
    `${behind} its own requests come back to it: set LATCHKEY_UPSTREAM there to the service’s address, not to the gateway’s`,
    unexpected,
  ],
  [
    'too-many-requests',
    'the gateway limits the requests for this license or from this address: try again in a minute',
    unreachable,
  ],
  ['internal', 'the gateway itself, or one of its rules, failed: its log has the reason', unreachable],
  ['invalid-body', lostBody, unexpected],
  ['json-only', lostBody, unexpected],
  [
    'not-found',
    'the gateway doesn’t know this license or key: check it, and the gateway’s rule allow if you set one. Behind a gateway for several services, a license without devices looks the same: latchkey doctor --gateway --activate finds out',
    notFound,
    { check: 'license' },
  ],
  [
    'list-not-allowed',
    `the service does not let the gateway list devices: ${noList}`,
    unexpected,
    { check: 'list keys', isNote: true },
  ],
  [
    'list-unreadable',
    `the gateway can’t read the service’s list of devices, see its log: ${noList}`,
    unexpected,
    { check: 'list keys', isNote: true },
  ],
]

/** What a gateway's codes mean. */
export const gatewayCodes: Readonly<Record<string, Explanation>> = Object.fromEntries(
  rows.map(([code, text, exitCode, more]) => [
    code,
    { text: `${text} (${code})`, exitCode, check: 'service', ...more },
  ]),
)

const reasons: Readonly<Record<string, RefusalReason>> = {
  'no-seat-left': 'no-seat-left',
  'wrong-product': 'wrong-product',
  'test-license': 'test-license',
  'license-expired': 'expired',
  'license-suspended': 'suspended',
  'license-inactive': 'inactive',
}

/** Returns what a gateway's code says about the license; `null` if nothing. */
export function reasonOfCode(code: string): RefusalReason | null {
  return Object.hasOwn(reasons, code) ? (reasons[code] ?? null) : null
}
