import type { ActivatedLicense, ActivationList, LicenseFacts } from '../contract/license-facts.ts'
import type { ActivationRequest, LicenseRequest, LicenseService } from '../contract/license-service.ts'
import type { Outcome, Unavailable } from '../contract/outcome.ts'
import { answer, refusal } from '../contract/outcomes.ts'
import type { ServiceCall } from '../contract/service-call.ts'
import { type Reply, send, undocumented } from '../http/send.ts'
import { findLicenseKey } from '../text/find-license-key.ts'
import { uuidForms } from '../text/uuid-forms.ts'
import type { LemonSqueezySettings } from './options.ts'
import { activationOf, type LicenseReading, mayMeanInstance, readLicense } from './read-license.ts'

export function createLemonSqueezy(settings: LemonSqueezySettings): LicenseService {
  const { apiKey, baseUrl, customerPortal, testMode } = settings

  const post = (
    verb: 'activate' | 'validate' | 'deactivate',
    form: Record<string, string>,
    call: ServiceCall | undefined,
  ): Promise<Reply | Unavailable> =>
    send({ method: 'POST', url: `${baseUrl}/v1/licenses/${verb}`, form, acts: verb !== 'validate' }, call)

  /** Validates the license without an instance, which has no side effects. */
  async function look({ licenseKey }: LicenseRequest, call?: ServiceCall): Promise<LicenseReading> {
    const reply = await post('validate', { license_key: licenseKey }, call)
    return reply.kind === 'reply' ? readLicense(reply, licenseKey, settings) : reply
  }

  async function showLicense(request: LicenseRequest, call?: ServiceCall): Promise<Outcome<LicenseFacts>> {
    const reading = await look(request, call)
    return reading.kind === 'license' ? answer(reading.license, reading.serverDateMs) : reading
  }

  async function validate(
    request: ActivationRequest,
    call?: ServiceCall,
  ): Promise<Outcome<ActivatedLicense>> {
    const { licenseKey, activationId } = request
    const reply = await post('validate', { license_key: licenseKey, instance_id: activationId }, call)
    if (reply.kind !== 'reply') return reply
    const reading = readLicense(reply, licenseKey, settings)
    if (reading.kind === 'license' && reading.body.valid) {
      const { instance } = reading.body
      if (instance?.id !== activationId) return undocumented(reply)
      const activation = activationOf(instance.id, instance.name, instance.created_at)
      return answer({ license: reading.license, activation }, reply.serverDateMs)
    }
    if (reading.kind === 'unavailable' && !mayMeanInstance(reply, reading)) return reading
    if (reading.kind === 'refusal' && reading.reason !== 'unknown-license') return reading
    // If the license itself is valid, the instance is gone. The error texts aren't documented, so check the license.
    const seen = await look(request, call)
    return seen.kind === 'license' ? refusal('unknown-activation', reply, seen.license) : seen
  }

  return {
    name: 'lemon-squeezy',
    baseUrl,
    capabilities: {
      listsActivations: apiKey !== undefined,
      idempotentByFingerprint: false,
      tellsTheEnd: true,
      signsItsAnswers: false,
      tellsSeatsInUse: true,
      requestsPerMinute: 60,
    },
    links: { customerPortal },
    testMode,
    vendorSecrets: apiKey === undefined ? [] : ['apiKey'],
    findLicenseKey: (text) => findLicenseKey(text, uuidForms()),

    async activate(request, call) {
      const { activate } = await import('./activate.ts')
      return activate(settings, request, {
        look: () => look(request, call),
        send: (form) => post('activate', form, call),
      })
    },

    validate,

    async deactivate(request, call) {
      const { licenseKey, activationId } = request
      const reply = await post('deactivate', { license_key: licenseKey, instance_id: activationId }, call)
      if (reply.kind !== 'reply') return reply
      const reading = readLicense(reply, licenseKey, settings)
      if (reading.kind === 'license' && reading.body.deactivated) return answer(null, reply.serverDateMs)
      // For any refusal, check whether the instance still exists.
      const seen = await validate(request, call)
      if (seen.kind === 'unavailable') return { ...seen, mayHaveActed: true }
      return seen.kind === 'answer' ? undocumented(reply) : seen
    },

    showLicense,

    ...(apiKey !== undefined && {
      async listActivations(request: LicenseRequest, call?: ServiceCall): Promise<Outcome<ActivationList>> {
        const seen = await showLicense(request, call)
        // An expired license still has devices.
        const license = seen.kind === 'answer' ? seen.value : seen.kind === 'refusal' ? seen.license : null
        if (license?.id != null) {
          // Loaded on demand, because apps never list devices.
          const { listInstances } = await import('./list-instances.ts')
          return listInstances(baseUrl, apiKey, { ...license, id: license.id }, call)
        }
        return seen.kind === 'answer' ? { ...seen, value: { activations: [], isWhole: false } } : seen
      },
    }),
  }
}
