import type { Reply } from '../http/reply.ts'
import type { LicenseOperations } from '../licenses/license-operations.ts'

/**
 * Several services may know the license key. It is activated at the first one that doesn't refuse it as unknown. Any other
 * outcome may have taken a seat, so no other service is asked then.
 */
export function oneByOne([first, ...others]: readonly LicenseOperations[]): LicenseOperations | undefined {
  if (first === undefined) return undefined
  return {
    ...first,
    async activate(...request) {
      let reply = await first.activate(...request)
      for (const { activate } of others) if (isUnknown(reply)) reply = await activate(...request)
      return reply
    },
  }
}

/** Whether a service refused to activate a license that it doesn't know. With a remark, it knows the license. */
export function isUnknown({ code, body, remark }: Reply): boolean {
  return (code === 'not-found' || code === 'gone') && body !== null && remark === undefined
}
