import {
  activateForRequest,
  type OfflineRequest,
  offlineClaimsOf,
  offlineType,
  writeOfflineAnswer,
} from '@latchkey/services/offline'
import type { LeaseSigner } from '../leases/lease-signer.ts'
import type { LicenseOperations } from '../license-operations.ts'
import { answered, type Reply } from '../reply.ts'
import { replyOfRefusal } from '../upstreams/service-reply.ts'
import { createOfflineService } from './offline-service.ts'

/** Activates computers that never go online. */
export interface OfflineIssuer {
  /** Activates the device of a request at the service, and signs the answer. */
  answer(request: OfflineRequest): Promise<Reply>
}

/** What the issuer needs. */
export interface OfflineIssuerOptions {
  readonly operations: LicenseOperations
  readonly signer: LeaseSigner
  /** How long a device may run on an answer, in days. */
  readonly days: number
  readonly clock: () => number
}

/** Creates the issuer. It stores nothing. */
export function createOfflineIssuer({
  operations,
  signer,
  days,
  clock,
}: OfflineIssuerOptions): OfflineIssuer {
  const service = createOfflineService(operations)
  const underWay = new Map<string, Promise<unknown>>()

  async function issue(request: OfflineRequest): Promise<Reply> {
    const nowMs = clock()
    const activation = await activateForRequest(service, request, nowMs)
    if (activation.kind === 'failed') return activation.outcome.reply
    if (activation.kind === 'refused') return refusedFor(activation.reason)
    const { license, activationId } = activation
    const claims = await offlineClaimsOf({ request, license, activationId, days, nowMs })
    const jws = await signer.sign(claims, request.trustedKeys, offlineType)
    return answered({
      answer: writeOfflineAnswer(jws),
      device: request.deviceName,
      validUntil: new Date(claims.exp * 1000).toISOString(),
    })
  }

  return {
    // Two clicks on one request must not both find that the device has no activation yet.
    async answer(request) {
      const id = JSON.stringify([request.licenseKey, request.fingerprint])
      const earlier = underWay.get(id) ?? Promise.resolve()
      const own = earlier.then(() => issue(request))
      const settled = own.catch(() => {})
      underWay.set(id, settled)
      try {
        return await own
      } finally {
        if (underWay.get(id) === settled) underWay.delete(id)
      }
    },
  }
}

function refusedFor(reason: Parameters<typeof replyOfRefusal>[0]['reason']): Reply {
  return replyOfRefusal({
    kind: 'refusal',
    reason,
    license: null,
    leftoverActivationId: null,
    httpStatus: null,
    serverDateMs: null,
  })
}
