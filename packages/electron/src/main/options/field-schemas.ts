import * as z from 'zod/mini'
import type { Logger } from '../../core/ports/logger-port.ts'
import type { LeaseKey } from './lease-key.ts'
import { text } from './window-options-schema.ts'

const loggerHint = 'must have the functions debug, info, warn and error, as console does'
export const logger: z.ZodMiniType<Logger> = z.custom<Logger>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    ['debug', 'info', 'warn', 'error'].every((level) => typeof Reflect.get(value, level) === 'function'),
  loggerHint,
)

export const leaseKeysHint =
  'must be the public part that `latchkey-gateway keys generate` prints: { keys: [{ kty: "OKP", crv: "Ed25519", x: … }] }'
const privateKeyHint =
  'is a private key: anyone who has the app could sign leases with it. Pass only the public part. If you ever shipped this key, give the gateway a new one'
export const leaseKeySchema: z.ZodMiniType<LeaseKey> = z.object(
  {
    kty: z.literal('OKP', { error: leaseKeysHint }),
    crv: z.literal('Ed25519', { error: leaseKeysHint }),
    x: text(leaseKeysHint).check(z.regex(/^[\w-]{43}$/u, leaseKeysHint)),
    d: z.optional(z.undefined({ error: privateKeyHint })),
  },
  { error: leaseKeysHint },
)

const ownHeaders = ['authorization', 'content-type', 'accept']
export const headers: z.ZodMiniType<Record<string, string>> = z
  .record(z.string(), text('must be text'), { error: 'must be an object whose values are text' })
  .check(
    z.refine(
      (given) => !Object.keys(given).some((name) => ownHeaders.includes(name.toLowerCase())),
      'must not set authorization, content-type or accept, which Latchkey sets itself; pass a token as service.accessToken',
    ),
    // As specified by RFC 9110. `new Headers()` would also check it, but makes Node load its fetch while the app starts.
    z.refine(
      (given) =>
        Object.entries(given).every(
          ([name, value]) => /^[\w!#$%&'*+.^`|~-]+$/u.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/u.test(value),
        ),
      'must contain only valid HTTP header names and values',
    ),
  )
