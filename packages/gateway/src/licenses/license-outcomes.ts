import { composeKeyName, parseKeyName } from '@latchkey/commerce'
import {
  type ActivatedLicense,
  type Activation,
  type ActivationList,
  type Answer,
  type Refusal,
  type Unavailable,
  type UnavailableCause,
  unavailable,
} from '@latchkey/services'
import type { OfflineActivationService } from '@latchkey/services/offline'
import type { Reply } from '../http/reply.ts'
import type { LicenseOperations } from './license-operations.ts'
import { replyOfRefusal } from './replies.ts'

/** A reply that decides nothing. It is passed on as it is. */
export interface UndecidedReply extends Unavailable {
  readonly reply: Reply
}

type Read<Value> = Answer<Value> | Refusal | UndecidedReply

/** Most requests for a device list. A longer list costs adoption, never the activation. */
const mostRequests = 50

/** The operations as an app reads them: with outcomes in place of replies. */
export type LicenseOutcomes = OfflineActivationService<UndecidedReply>

/** Creates the operations as the gateway's own pages use them, in place of an app. */
export function createLicenseOutcomes(operations: LicenseOperations): LicenseOutcomes {
  return {
    async listActivations({ licenseKey }) {
      const activations: Activation[] = []
      let isWhole = true
      let page: number | null = 1
      for (let requests = 0; page !== null && requests < mostRequests; requests += 1) {
        const reply = await operations.keys({ licenseKey, page })
        // A license that the vendor's rule refuses is shown with an empty list.
        const hidden = reply.remark === 'not-allowed' ? { activations: [], isWhole: false } : undefined
        const read = readReply<ActivationList>(reply, reply.list ?? hidden)
        if (read.kind !== 'answer') return read
        const { activations: listed, isWhole: isEnd, nextPage = null, unreadableCount = 0 } = read.value
        activations.push(...listed.map(asApp))
        if (unreadableCount > 0 || (!isEnd && nextPage === null)) isWhole = false
        page = nextPage
      }
      return answer({ activations, isWhole: isWhole && page === null })
    },
    async activate({ licenseKey, deviceName, fingerprint }) {
      const name = composeKeyName(deviceName, fingerprint)
      const reply = await operations.activate({ licenseKey, name })
      return readReply<ActivatedLicense>(reply, reply.activated)
    },
    async validate({ licenseKey, activationId, fingerprint }) {
      const reply = await operations.validate({ licenseKey, keyId: activationId, fingerprint })
      return readReply<ActivatedLicense>(reply, reply.activated)
    },
    async deactivate({ licenseKey, activationId, fingerprint }) {
      const reply = await operations.deactivate({ licenseKey, keyId: activationId, fingerprint })
      return readReply(reply, reply.status === 200 ? null : undefined)
    },
  }
}

/** Creates the reply if an outcome is no answer. */
export function replyOfFailed(outcome: Refusal | UndecidedReply): Reply {
  return outcome.kind === 'refusal' ? replyOfRefusal(outcome) : outcome.reply
}

/** Finds the fingerprint as an app does, also in a name that was changed at the service. */
function asApp(activation: Activation): Activation {
  if (activation.fingerprint !== null || activation.deviceName === null) return activation
  const { label, fingerprint } = parseKeyName(activation.deviceName)
  return { ...activation, deviceName: label, fingerprint }
}

function answer<Value>(value: Value): Answer<Value> {
  return { kind: 'answer', value, serverDateMs: null, proof: null }
}

/** How a reply without the service's own outcome is read, for example of a license that the vendor's rule refuses. */
const causes: Readonly<Record<number, UnavailableCause>> = {
  404: 'not-found',
  410: 'not-found',
  422: 'rejected',
}

/** @param value what the reply answers; `undefined` if it is no answer. */
function readReply<Value>(reply: Reply, value: Value | undefined): Read<Value> {
  const { status, body, outcome } = reply
  if (value !== undefined) return answer(value)
  if (outcome?.kind === 'refusal') return outcome
  // The gateway's own doubt about a refusal counts, too.
  const bodyIsJson = body !== null && (outcome?.bodyIsJson ?? true)
  const known = { mayHaveActed: true, ...outcome, bodyIsJson }
  return { ...unavailable(causes[status] ?? 'unexpected-answer', known), reply }
}
