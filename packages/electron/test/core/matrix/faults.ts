import type { FaultRule } from '@latchkey/emulator'

/**
 * The effect of a fault on any operation:
 * - `out-of-reach`: the service did not act, and nobody knows.
 * - `acted`: the service acted, and nobody knows.
 * - `forbidden`: the app or its network is refused.
 * - `refused`: the request is refused in the service's name.
 * - `not-found`: the service says that there is no such thing.
 */
export type Kind = 'out-of-reach' | 'acted' | 'forbidden' | 'refused' | 'not-found'

/** Something that goes wrong with every request of one operation. */
export interface Fault {
  readonly name: string
  readonly kind: Kind
  /** The problem that is reported if the service is unreachable. */
  readonly code: string
  /** The emulator's fault, or the address that the request goes to instead. */
  readonly rule?: FaultRule
  readonly reroute?: 'closed port' | 'unknown host' | 'no TLS'
  /** There is no answer. Only the time limit ends it. */
  readonly isSilent?: true
}

const status = (code: number, rest: object = {}): FaultRule => ({ fault: 'status', status: code, ...rest })
const dayS = 24 * 60 * 60

/** Everything that can go wrong with one request. */
export const faults: readonly Fault[] = [
  { name: 'refused', kind: 'out-of-reach', code: 'offline', reroute: 'closed port' },
  { name: 'DNS', kind: 'out-of-reach', code: 'offline', reroute: 'unknown host' },
  { name: 'TLS', kind: 'out-of-reach', code: 'offline', reroute: 'no TLS' },
  { name: 'reset before', kind: 'out-of-reach', code: 'offline', rule: { fault: 'reset' } },
  {
    name: 'reset after the service acted',
    kind: 'acted',
    code: 'offline',
    rule: { fault: 'reset', when: 'after-acting' },
  },
  { name: 'timeout', kind: 'out-of-reach', code: 'timeout', rule: { fault: 'timeout' }, isSilent: true },
  {
    name: 'timeout after the service acted',
    kind: 'acted',
    code: 'timeout',
    rule: { fault: 'timeout', when: 'after-acting' },
    isSilent: true,
  },
  { name: 'slow-drip', kind: 'acted', code: 'timeout', rule: { fault: 'slow-drip' }, isSilent: true },
  { name: 'cut in the body', kind: 'acted', code: 'incomplete-answer', rule: { fault: 'cut' } },
  { name: '401', kind: 'forbidden', code: 'unauthorized', rule: status(401) },
  { name: '403', kind: 'forbidden', code: 'unauthorized', rule: status(403) },
  { name: '403 as a page', kind: 'forbidden', code: 'unauthorized', rule: status(403, { body: 'html' }) },
  { name: '404', kind: 'not-found', code: '', rule: status(404) },
  {
    name: '404 without JSON',
    kind: 'out-of-reach',
    code: 'unexpected-answer',
    rule: status(404, { body: 'html' }),
  },
  { name: '410', kind: 'not-found', code: '', rule: status(410) },
  // A standard fetch turns it into a network error.
  { name: '407', kind: 'out-of-reach', code: 'offline', rule: status(407) },
  { name: '408', kind: 'out-of-reach', code: 'timeout', rule: status(408) },
  { name: '409', kind: 'refused', code: '', rule: status(409) },
  { name: '422', kind: 'refused', code: '', rule: status(422) },
  { name: '429', kind: 'out-of-reach', code: 'rate-limited', rule: status(429) },
  {
    name: '429 for a day',
    kind: 'out-of-reach',
    code: 'rate-limited',
    rule: status(429, { retryAfterSeconds: dayS }),
  },
  {
    name: '429 for a year, as a date',
    kind: 'out-of-reach',
    code: 'rate-limited',
    rule: status(429, { retryAfterSeconds: 365 * dayS, retryAfterForm: 'http-date' }),
  },
  { name: '500', kind: 'out-of-reach', code: 'service-error', rule: status(500) },
  {
    name: '500 after the service acted',
    kind: 'acted',
    code: 'service-error',
    rule: status(500, { when: 'after-acting' }),
  },
  { name: '503 as a page', kind: 'out-of-reach', code: 'service-error', rule: status(503, { body: 'html' }) },
  { name: 'HTML 200', kind: 'out-of-reach', code: 'unexpected-answer', rule: { fault: 'html' } },
  {
    name: 'HTML 200 after the service acted',
    kind: 'acted',
    code: 'unexpected-answer',
    rule: { fault: 'html', when: 'after-acting' },
  },
  { name: 'empty 200', kind: 'out-of-reach', code: 'unexpected-answer', rule: { fault: 'empty' } },
  { name: '204', kind: 'out-of-reach', code: 'unexpected-answer', rule: { fault: 'no-content' } },
  { name: 'truncated', kind: 'acted', code: 'incomplete-answer', rule: { fault: 'truncated' } },
  {
    name: 'wrong types',
    kind: 'acted',
    code: 'unexpected-answer',
    rule: { fault: 'wrong-types', fields: ['key.id', 'data.*.id', 'message'] },
  },
  { name: '302', kind: 'out-of-reach', code: 'unexpected-answer', rule: { fault: 'redirect' } },
  {
    name: '308 to another origin',
    kind: 'out-of-reach',
    code: 'unexpected-answer',
    rule: { fault: 'redirect', status: 308, to: 'https://elsewhere.invalid' },
  },
]
