import type { ServicePort } from '../../../core/ports/service-port.ts'
import { onDemand } from '../../../shared/on-demand.ts'

/** What is known about a service before it is loaded. */
export interface ServiceOnDemandOptions
  extends Pick<ServicePort, 'name' | 'ids' | 'capabilities' | 'findLicenseKey'> {
  /** Whether the service shows single activations; see `ServicePort.key`. */
  readonly showsActivations: boolean
  /** Loads the service. Called at the first request, and again if it fails. */
  readonly load: () => Promise<ServicePort>
}

/**
 * A service whose client is loaded when the first request is sent. The decision at launch doesn't need it, and neither
 * does the app's first window.
 */
export function createServiceOnDemand(options: ServiceOnDemandOptions): ServicePort {
  let loaded: ServicePort | null = null
  let hasEnded = false
  const service = onDemand(async () => {
    loaded = await options.load()
    if (hasEnded) loaded.end?.()
    return loaded
  })

  return {
    name: options.name,
    ids: options.ids,
    capabilities: options.capabilities,
    ...(options.findLicenseKey !== undefined && { findLicenseKey: options.findLicenseKey }),
    keys: async (licenseId) => (await service()).keys(licenseId),
    ...(options.showsActivations && {
      key: async (licenseId: string, keyId: string) => {
        const { key } = await service()
        if (key === undefined) throw new Error('The service shows no single activation')
        return key(licenseId, keyId)
      },
    }),
    ...(options.capabilities?.tellsSeatsInUse === true && {
      seatsInUse: async (licenseId: string) => {
        const { seatsInUse } = await service()
        return seatsInUse === undefined ? { value: null, serverDateMs: null } : seatsInUse(licenseId)
      },
    }),
    activate: async (licenseId, name, device) => (await service()).activate(licenseId, name, device),
    validate: async (licenseId, keyId, fingerprint) =>
      (await service()).validate(licenseId, keyId, fingerprint),
    deactivate: async (licenseId, keyId, fingerprint) =>
      (await service()).deactivate(licenseId, keyId, fingerprint),
    end() {
      // Requests that are still loading the service are canceled when it is there.
      hasEnded = true
      loaded?.end?.()
    },
  }
}
