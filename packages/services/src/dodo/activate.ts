import type { ActivatedLicense, LicenseFacts } from '../contract/license-facts.ts'
import type { ActivateRequest, ActivationRequest } from '../contract/license-service.ts'
import type { Outcome, Refusal, Unavailable } from '../contract/outcome.ts'
import { answer, nothingTold, refusal, unknownStatus } from '../contract/outcomes.ts'
import type { Reply } from '../http/send.ts'
import { composeActivationName } from '../text/activation-name.ts'
import type { ShownLicense } from './find-license.ts'
import { instanceOf } from './instance-of.ts'
import type { DodoSettings } from './options.ts'
import { activationSchema } from './wire.ts'

/** How an activation asks the service. */
export interface Requests {
  post(verb: 'activate' | 'validate', json: Record<string, string>): Promise<Reply | Unavailable>
  deactivate(request: ActivationRequest): Promise<Outcome<null>>
  readRefusal(reply: Reply): Refusal | Unavailable
  /** Shows the license with the vendor's API key; `null` without one. */
  showLicenseById(licenseId: string | null | undefined): Promise<ShownLicense | null>
}

/** Takes a seat. A launch doesn't need it. */
export async function activate(
  { productIds, apiKey, isTest }: DodoSettings,
  { licenseKey, deviceName, fingerprint }: ActivateRequest,
  { post, deactivate, readRefusal, showLicenseById }: Requests,
): Promise<Outcome<ActivatedLicense>> {
  // If this can't reach the service, no seat was taken. Its answer doesn't matter: *activate* says why it refuses.
  if (apiKey === undefined) {
    const reply = await post('validate', { license_key: licenseKey })
    if (reply.kind !== 'reply') return reply
  }
  const name = composeActivationName(deviceName, fingerprint)
  const reply = await post('activate', { license_key: licenseKey, name })
  if (reply.kind !== 'reply') return reply
  const parsed = activationSchema.safeParse(reply.body)
  if (reply.status >= 300 || !parsed.success) return readRefusal(reply)
  const { data } = parsed
  const { license_key_id: licenseId } = data
  const shown = await showLicenseById(licenseId)
  const isNew = shown?.isNewStatus
  if (productIds.includes(data.product.product_id) && !isNew) {
    const license: LicenseFacts = {
      ...(shown?.facts ?? nothingTold),
      id: licenseId ?? null,
      product: data.product.product_id,
      plan: data.product.product_id,
      isTest,
    }
    return answer({ license, activation: instanceOf({ ...data, name }) }, reply.serverDateMs)
  }
  // Only now is it known that it is another product, or that its status is new, so release the seat.
  const freed = await deactivate({ licenseKey, activationId: data.id, fingerprint })
  const isFree = freed.kind === 'answer'
  if (isNew) return { ...unknownStatus(reply), mayHaveActed: !isFree }
  return { ...refusal('wrong-product', reply), leftoverActivationId: isFree ? null : data.id }
}
