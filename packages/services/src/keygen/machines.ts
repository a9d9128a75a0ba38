import { checkedList } from '../contract/checked-list.ts'
import type { Activation, ActivationList } from '../contract/license-facts.ts'
import type { ActivationRequest, LicenseRequest, LicenseService } from '../contract/license-service.ts'
import type { Outcome, Refusal, Unavailable } from '../contract/outcome.ts'
import { answer, refusal, unavailable } from '../contract/outcomes.ts'
import type { ServiceCall } from '../contract/service-call.ts'
import { undocumented } from '../http/send.ts'
import { credential } from './credential.ts'
import { activated, exchange, type ValidatedLicense, validateKey, withFeatures } from './exchange.ts'
import { activationOf, machineAnswerSchema, machineListSchema, machineSchema } from './machine.ts'
import type { KeygenSettings } from './options.ts'
import { errorCodeOf } from './read-answer.ts'
import { readError } from './read-error.ts'

/** Maximum number of pages of 100 machines. With more machines, the list is incomplete. */
const maxPages = 50

/** The operations that a launch doesn't need: activate, deactivate, list, and show. */
export type Machines = Required<
  Pick<LicenseService, 'activate' | 'deactivate' | 'listActivations' | 'showLicense'>
>

export function createMachines(settings: KeygenSettings): Machines {
  const { token, publicKey } = settings

  async function findMachine(
    licenseKey: string,
    idOrFingerprint: string,
    call: ServiceCall | undefined,
    notBeforeMs: number | null,
  ): Promise<Activation | Refusal | Unavailable> {
    if (token !== undefined) return findListedMachine(licenseKey, idOrFingerprint, call)
    const reply = await exchange(
      settings,
      {
        method: 'GET',
        path: `/machines/${encodeURIComponent(idOrFingerprint)}`,
        headers: credential(settings, licenseKey),
      },
      call,
      notBeforeMs,
    )
    if (reply.kind !== 'reply') return reply
    const parsed = machineAnswerSchema.safeParse(reply.body)
    if (reply.status === 200 && parsed.success) return activationOf(parsed.data.data)
    return errorCodeOf(reply) === 'NOT_FOUND' ? refusal('unknown-activation', reply) : readError(reply)
  }

  /** Finds a machine in the license's own list, because the vendor's token can read the machines of every license. */
  async function findListedMachine(
    licenseKey: string,
    idOrFingerprint: string,
    call: ServiceCall | undefined,
  ): Promise<Activation | Refusal | Unavailable> {
    const listed = await listActivations({ licenseKey }, call)
    if (listed.kind !== 'answer') return listed
    const { activations, isWhole } = listed.value
    const found = activations.find(
      ({ id, fingerprint }) => id === idOrFingerprint || fingerprint === idOrFingerprint,
    )
    if (found !== undefined) return found
    const { serverDateMs } = listed
    return isWhole
      ? refusal('unknown-activation', { status: 200, serverDateMs })
      : unavailable('unexpected-answer', { httpStatus: 200, bodyIsJson: true, serverDateMs })
  }

  async function createMachine(
    { licenseKey, deviceName, fingerprint }: { licenseKey: string; deviceName: string; fingerprint: string },
    { license, reply: before }: ValidatedLicense,
    call: ServiceCall | undefined,
  ): Promise<Activation | Refusal | Unavailable> {
    const reply = await exchange(
      settings,
      {
        method: 'POST',
        path: '/machines',
        headers: credential(settings, licenseKey),
        acts: true,
        json: {
          data: {
            type: 'machines',
            attributes: { fingerprint, name: deviceName },
            relationships: { license: { data: { type: 'licenses', id: license.id } } },
          },
        },
      },
      call,
      before.serverDateMs,
    )
    if (reply.kind !== 'reply') return reply
    const parsed = machineAnswerSchema.safeParse(reply.body)
    if (reply.status === 201 && parsed.success) return activationOf(parsed.data.data)
    // Another process activated this device at the same time.
    const isTaken = errorCodeOf(reply) === 'FINGERPRINT_TAKEN'
    if (isTaken) return findMachine(licenseKey, fingerprint, call, before.serverDateMs)
    return readError(reply, license)
  }

  async function listActivations(
    { licenseKey }: LicenseRequest,
    call?: ServiceCall,
  ): Promise<Outcome<ActivationList>> {
    const seen = await validateKey(settings, licenseKey, null, call)
    if (seen.kind !== 'license') return seen
    const activations: Activation[] = []
    let isWhole = true
    for (let page = 1; page <= maxPages; page += 1) {
      const query = new URLSearchParams({
        license: seen.license.id,
        'page[size]': '100',
        'page[number]': String(page),
      })
      const reply = await exchange(
        settings,
        { method: 'GET', path: `/machines?${query}`, headers: credential(settings, licenseKey) },
        call,
        seen.reply.serverDateMs,
      )
      if (reply.kind !== 'reply') return reply
      const parsed = machineListSchema.safeParse(reply.body)
      if (reply.status !== 200 || !parsed.success) return readError(reply)
      for (const item of parsed.data.data) {
        const machine = machineSchema.safeParse(item)
        if (machine.success) activations.push(activationOf(machine.data))
        else isWhole = false
      }
      if (parsed.data.data.length < 100) {
        const { serverDateMs } = reply
        const secret = token === undefined ? null : 'token'
        return checkedList({ activations, isWhole, serverDateMs }, seen.license.seatsInUse, secret)
      }
    }
    return answer({ activations, isWhole: false }, seen.reply.serverDateMs)
  }

  return {
    async activate(request, call) {
      const { licenseKey, fingerprint } = request
      const before = await validateKey(settings, licenseKey, fingerprint, call)
      if (before.kind !== 'license') return before
      if (before.refusal === null) {
        const found = await findMachine(licenseKey, fingerprint, call, before.reply.serverDateMs)
        return 'kind' in found ? found : activated(settings, licenseKey, before, found, call)
      }
      if (before.refusal.kind !== 'refusal' || before.refusal.reason !== 'unknown-activation')
        return before.refusal
      const made = await createMachine(request, before, call)
      if ('kind' in made) return made
      const after = await validateKey(settings, licenseKey, fingerprint, call)
      const outcome =
        after.kind === 'license'
          ? (after.refusal ?? (await activated(settings, licenseKey, after, made, call)))
          : after
      if (outcome.kind === 'unavailable') {
        // The machine exists, whatever a proxy says about the second look at its license.
        const isAboutTheLook = ['not-found', 'rejected', 'access-denied'].includes(outcome.cause)
        const cause = isAboutTheLook ? 'unexpected-answer' : outcome.cause
        return { ...outcome, cause, bodyIsJson: null, mayHaveActed: true }
      }
      return outcome.kind === 'refusal' ? { ...outcome, leftoverActivationId: made.id } : outcome
    },

    async deactivate({ licenseKey, activationId }: ActivationRequest, call) {
      let id = activationId
      if (token !== undefined) {
        const own = await findListedMachine(licenseKey, activationId, call)
        if ('kind' in own) return own
        // By a fingerprint, Keygen could find a machine of another license.
        id = own.id
      }
      const path = `/machines/${encodeURIComponent(id)}`
      const headers = credential(settings, licenseKey)
      const reply = await exchange(settings, { method: 'DELETE', path, headers, acts: true }, call)
      if (reply.kind !== 'reply') return reply
      if (reply.status !== 204) {
        return errorCodeOf(reply) === 'NOT_FOUND' ? refusal('unknown-activation', reply) : readError(reply)
      }
      if (publicKey !== undefined) return answer(null, reply.serverDateMs)
      // The response is unsigned and has no body, so a network's sign-in page could have sent it.
      const seen = await findMachine(licenseKey, id, call, null)
      if (!('kind' in seen)) return undocumented(reply)
      if (seen.kind === 'unavailable') return { ...seen, mayHaveActed: true }
      return seen.reason === 'unknown-activation' ? answer(null, reply.serverDateMs) : seen
    },

    listActivations,

    async showLicense({ licenseKey }, call) {
      const seen = await validateKey(settings, licenseKey, null, call)
      if (seen.kind !== 'license') return seen
      const { refusal: refused } = seen
      const lacksDevice = refused?.kind === 'refusal' && refused.reason === 'unknown-activation'
      const wantsDevice = refused?.kind === 'unavailable' && refused.detail === 'FINGERPRINT_SCOPE_REQUIRED'
      if (refused?.kind === 'unavailable' && !wantsDevice) return refused
      const whole = await withFeatures(settings, licenseKey, seen, call)
      if (refused?.kind === 'refusal' && !lacksDevice) {
        // Without its features, the license would look like one that doesn't include them.
        return { ...refused, license: whole.kind === 'license' ? whole.license : null }
      }
      if (whole.kind !== 'license') return whole
      return answer({ ...whole.license, status: 'active' }, whole.reply.serverDateMs)
    },
  }
}
