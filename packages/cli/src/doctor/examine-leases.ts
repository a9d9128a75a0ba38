import { randomBytes } from 'node:crypto'
import { isCommerceError } from '@latchkey/commerce'
import * as z from 'zod/mini'
import type { CommandContext } from '../command-context.ts'
import { nilId } from './examine-not-found.ts'
import { explainRefusal } from './explain-failure.ts'
import type { Finding } from './finding.ts'

const unsigned =
  'the gateway signs none. If your app has leaseKeys, set LATCHKEY_SIGNING_KEY there: latchkey-gateway keys generate'

const headerSchema = z.object({ kid: z.string() })

/** Finds out whether a gateway signs leases, as an app does: it asks for a key that can't exist. That takes no seat. */
export async function examineLeases(
  { commerce, terminal }: CommandContext,
  licenseId: string,
): Promise<Finding> {
  let lease: string | null = null
  try {
    await commerce.licenses.key(licenseId, nilId, {
      signal: terminal.signal,
      headers: { 'latchkey-nonce': randomBytes(24).toString('base64url') },
      onAnswer: ({ headers }) => {
        lease = headers.get('latchkey-lease')
      },
    })
  } catch (error) {
    if (!isCommerceError(error) || error.code === 'cancelled') throw error
    if (error.code !== 'not-found') {
      return { check: 'leases', verdict: 'bad', detail: explainRefusal(error) ?? error.message }
    }
  }
  if (lease === null) return { check: 'leases', verdict: 'note', detail: unsigned }
  const keyId = keyIdOf(lease)
  return keyId === null
    ? { check: 'leases', verdict: 'bad', detail: 'the header latchkey-lease is unreadable' }
    : {
        check: 'leases',
        verdict: 'good',
        detail: `signed with the key ${keyId}, which the app’s leaseKeys must have`,
      }
}

/** Returns the id of the key that a lease is signed with. The signature isn't checked: only the app has the key for it. */
function keyIdOf(lease: string): string | null {
  try {
    const [header = ''] = lease.split('.')
    return headerSchema.parse(JSON.parse(Buffer.from(header, 'base64url').toString())).kid
  } catch {
    return null
  }
}
