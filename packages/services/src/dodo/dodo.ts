import type { ActivatedLicense, ActivationList, LicenseFacts } from '../contract/license-facts.ts'
import type { ActivationRequest, LicenseRequest, LicenseService } from '../contract/license-service.ts'
import type { Outcome, Refusal, RefusalReason, Unavailable } from '../contract/outcome.ts'
import { answer, nothingTold, refusal } from '../contract/outcomes.ts'
import type { ServiceCall } from '../contract/service-call.ts'
import { type Reply, send, undocumented } from '../http/send.ts'
import { findMixedKey } from '../text/find-mixed-key.ts'
import { prefixedUuidForms } from '../text/uuid-forms.ts'
import type { DodoSettings } from './options.ts'
import { errorSchema, validationSchema } from './wire.ts'

/** https://docs.dodopayments.com/api-reference/error-codes */
const reasons: Readonly<Record<string, RefusalReason>> = {
  LICENSE_KEY_NOT_FOUND: 'unknown-license',
  LICENSE_KEY_LIMIT_REACHED: 'no-seat-left',
  // Means expired or disabled; the service doesn't distinguish them.
  INACTIVE_LICENSE_KEY: 'inactive',
}

/** Apps have no API key, so this is only loaded on demand. */
const vendorApi = () => import('./find-license.ts')

/** The response to *validate*. */
interface Told {
  readonly kind: 'told'
  readonly isValid: boolean
  readonly reply: Reply
}

export function createDodo(settings: DodoSettings): LicenseService {
  const { apiKey, baseUrl, isTest, customerPortal } = settings

  const post = (
    verb: 'activate' | 'validate' | 'deactivate',
    json: Record<string, string>,
    call: ServiceCall | undefined,
  ): Promise<Reply | Unavailable> =>
    send({ method: 'POST', url: `${baseUrl}/licenses/${verb}`, json, acts: verb !== 'validate' }, call)

  /** *Validate* only returns true or false, without a reason. */
  async function isValid(
    fields: Record<string, string>,
    call: ServiceCall | undefined,
  ): Promise<Told | Refusal | Unavailable> {
    const reply = await post('validate', fields, call)
    if (reply.kind !== 'reply') return reply
    const parsed = validationSchema.safeParse(reply.body)
    if (reply.status !== 200 || !parsed.success) return readRefusal(reply)
    return { kind: 'told', isValid: parsed.data.valid, reply }
  }

  async function validate(
    request: ActivationRequest,
    call?: ServiceCall,
  ): Promise<Outcome<ActivatedLicense>> {
    const { licenseKey, activationId, fingerprint } = request
    const fields = { license_key: licenseKey, license_key_instance_id: activationId }
    if (apiKey !== undefined) {
      const { validateInstance } = await vendorApi()
      const seen = await validateInstance(settings, apiKey, request, call)
      if (seen.kind !== 'answer' || seen.value.license.status !== null) return seen
      // The status is new to this adapter, so the service itself says whether the license is valid.
      const asked = await isValid(fields, call)
      if (asked.kind !== 'told') return asked
      return asked.isValid ? seen : refusal('inactive', asked.reply, seen.value.license)
    }
    const asked = await isValid(fields, call)
    if (asked.kind !== 'told') return asked
    if (asked.isValid) {
      const license: LicenseFacts = { ...nothingTold, isTest }
      const activation = { id: activationId, deviceName: null, fingerprint, createdAtMs: null }
      return answer({ license, activation }, asked.reply.serverDateMs)
    }
    const seen = await isValid({ license_key: licenseKey }, call)
    if (seen.kind !== 'told') return seen
    if (seen.isValid) return refusal('unknown-activation', asked.reply)
    // Expired, disabled, and unknown keys get the same response. This key was known before.
    return { ...refusal('inactive', asked.reply), mayBeUnknown: true }
  }

  async function deactivate(request: ActivationRequest, call?: ServiceCall): Promise<Outcome<null>> {
    const { licenseKey, activationId } = request
    const fields = { license_key: licenseKey, license_key_instance_id: activationId }
    const reply = await post('deactivate', fields, call)
    if (reply.kind !== 'reply') return reply
    const isDone = reply.status < 300
    const refused = readRefusal(reply)
    if (!isDone && (reply.status !== 403 || refused.kind === 'refusal')) return refused
    // A success has no body, which a network's sign-in page could fake, and a 403 without a known code means that the
    // activation belongs to another license. Only *validate* proves that it is gone, and only while the license is
    // valid, because an expired or disabled license makes every activation invalid.
    const seen = await validate(request, call)
    if (seen.kind === 'unavailable') return { ...seen, mayHaveActed: true }
    if (seen.kind === 'answer' || seen.reason !== 'unknown-activation') return undocumented(reply)
    return isDone ? answer(null, reply.serverDateMs) : refusal('unknown-activation', reply)
  }

  return {
    name: 'dodo',
    baseUrl,
    capabilities: {
      listsActivations: apiKey !== undefined,
      idempotentByFingerprint: false,
      tellsTheEnd: false,
      signsItsAnswers: false,
    },
    links: { customerPortal },
    vendorSecrets: apiKey === undefined ? [] : ['apiKey'],
    // Vendors can import keys in any form.
    findLicenseKey: (text) => findMixedKey(text, prefixedUuidForms()),

    async activate(request, call) {
      const { activate } = await import('./activate.ts')
      const outcome = await activate(settings, request, {
        post: (verb, json) => post(verb, json, call),
        deactivate: (activation) => deactivate(activation, call),
        readRefusal,
        showLicenseById: async (id) =>
          apiKey === undefined ? null : (await vendorApi()).showLicenseById(settings, apiKey, id, call),
      })
      if (apiKey !== undefined) (await vendorApi()).noteActivation(settings, request.licenseKey, outcome)
      return outcome
    },

    validate,

    deactivate,

    async showLicense({ licenseKey }, call) {
      if (apiKey !== undefined)
        return (await vendorApi()).showLicenseByKey(settings, apiKey, licenseKey, call)
      const seen = await isValid({ license_key: licenseKey }, call)
      if (seen.kind !== 'told') return seen
      const license: LicenseFacts = { ...nothingTold, isTest }
      return seen.isValid ? answer(license, seen.reply.serverDateMs) : refusal('inactive', seen.reply)
    },

    ...(apiKey !== undefined && {
      async listActivations(
        { licenseKey }: LicenseRequest,
        call?: ServiceCall,
      ): Promise<Outcome<ActivationList>> {
        return (await vendorApi()).listActivations(settings, apiKey, licenseKey, call)
      },
    }),
  }
}

function readRefusal(reply: Reply): Refusal | Unavailable {
  const parsed = errorSchema.safeParse(reply.body)
  const reason = parsed.success ? reasons[parsed.data.code] : undefined
  return reason === undefined || reply.status < 400
    ? undocumented(reply, parsed.success)
    : refusal(reason, reply)
}
