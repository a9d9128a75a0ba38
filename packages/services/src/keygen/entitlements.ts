import * as z from 'zod/mini'
import type { Unavailable } from '../contract/outcome.ts'
import type { ServiceCall } from '../contract/service-call.ts'
import { undocumented } from '../http/send.ts'
import { credential } from './credential.ts'
import type { exchange, SignedReply, ValidatedLicense } from './exchange.ts'
import type { KeygenSettings } from './options.ts'
import { readError } from './read-error.ts'

/** More features than a license can have aren't read: one page. */
const pageSize = 100

const entitlementsSchema: z.ZodMiniType<{ data: unknown[] }> = z.object({ data: z.array(z.unknown()) })
const entitlementSchema: z.ZodMiniType<{ attributes: { code: string } }> = z.object({
  attributes: z.object({ code: z.string() }),
})

/** The path and query of a license's entitlements: https://keygen.sh/docs/api/licenses/#licenses-relationships-list-entitlements */
export function entitlementsPath(licenseId: string): string {
  return `/licenses/${encodeURIComponent(licenseId)}/entitlements?limit=${pageSize}`
}

/** Returns the codes of the entitlements in a response; `null` if it isn't that response. */
export function codesOf(body: unknown): readonly string[] | null {
  const parsed = entitlementsSchema.safeParse(body)
  if (!parsed.success) return null
  return parsed.data.data.flatMap((item) => {
    const entitlement = entitlementSchema.safeParse(item)
    return entitlement.success ? [entitlement.data.attributes.code] : []
  })
}

/**
 * Adds the codes of a license's entitlements, as its features. If they can't be read, there is no answer, because a
 * license without features would be one that doesn't include them. If responses are signed, they are a part of the
 * proof.
 */
export async function withEntitlements(
  settings: KeygenSettings,
  licenseKey: string,
  seen: ValidatedLicense,
  call: ServiceCall | undefined,
  send: typeof exchange,
): Promise<ValidatedLicense | Unavailable> {
  const { license, reply } = seen
  const headers = credential(settings, licenseKey)
  const request = { method: 'GET', path: entitlementsPath(license.id), headers } as const
  const got = await send(settings, request, call, reply.serverDateMs)
  const features = got.kind === 'reply' && got.status === 200 ? codesOf(got.body) : null
  if (got.kind === 'reply' && features !== null) {
    return { ...seen, license: { ...license, features }, reply: { ...reply, proof: joined(reply, got) } }
  }
  if (got.kind !== 'reply') return got
  const failure = readError(got)
  // The same license was just validated, so it isn't refused.
  return failure.kind === 'refusal' ? undocumented(got) : failure
}

/** One proof of two responses. */
function joined({ proof }: SignedReply, { proof: entitlements }: SignedReply): string | null {
  if (proof === null || entitlements === null) return null
  return JSON.stringify({ ...JSON.parse(proof), entitlements: JSON.parse(entitlements) })
}
