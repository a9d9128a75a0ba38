import type { LicenseService } from '../contract/license-service.ts'
import { findCustomKey } from '../text/find-custom-key.ts'
import { groupedForm } from '../text/grouped-form.ts'
import { keygenForms } from '../text/keygen-forms.ts'
import { activated, validateKey } from './exchange.ts'
import type { Machines } from './machines.ts'
import type { KeygenSettings } from './options.ts'

type ReadProof = NonNullable<LicenseService['readProof']>

export function createKeygen(settings: KeygenSettings): LicenseService {
  const { token, publicKey, customerPortal } = settings

  /** Loaded on demand, because a launch only validates. */
  async function machines(): Promise<Machines> {
    const { createMachines } = await import('./machines.ts')
    return createMachines(settings)
  }

  return {
    name: 'keygen',
    baseUrl: settings.api,
    capabilities: {
      listsActivations: true,
      idempotentByFingerprint: true,
      tellsTheEnd: true,
      signsItsAnswers: publicKey !== undefined,
      // 500 in five minutes.
      requestsPerMinute: 100,
    },
    links: { customerPortal },
    vendorSecrets: token === undefined ? [] : ['token'],
    // Vendors can set custom license keys, so any text may be one.
    findLicenseKey: (text) => findCustomKey(text, [...keygenForms, groupedForm()]),

    activate: async (request, call) => (await machines()).activate(request, call),
    deactivate: async (request, call) => (await machines()).deactivate(request, call),
    listActivations: async (request, call) => (await machines()).listActivations(request, call),
    showLicense: async (request, call) => (await machines()).showLicense(request, call),

    async validate({ licenseKey, activationId, fingerprint }, call) {
      const seen = await validateKey(settings, licenseKey, fingerprint, call)
      if (seen.kind !== 'license') return seen
      if (seen.refusal !== null) {
        const { withProof } = await import('./read-proof.ts')
        return withProof(settings, licenseKey, seen, seen.refusal, call)
      }
      const activation = { id: activationId, deviceName: null, fingerprint, createdAtMs: null }
      return activated(settings, licenseKey, seen, activation, call)
    },

    ...(publicKey !== undefined && {
      async readProof(...[proof, request, call]: Parameters<ReadProof>) {
        const { readKeptProof } = await import('./read-proof.ts')
        return readKeptProof(settings, publicKey)(proof, request, call)
      },
    }),
  }
}
