import {
  type ActivatedLicense,
  type Activation,
  type ActivationList,
  type LicenseService,
  type Outcome,
  type Refusal,
  type RefusalReason,
  refusal as refusalOf,
  type Unavailable,
  type UnavailableCause,
  unavailable as unavailableBy,
} from '@latchkey/services'

/** The result of a call. */
type Said<Value> = Outcome<Value>

/** A licensing service that says what the test wants, and agrees to everything else. */
export interface ScriptedService {
  readonly service: LicenseService
  /** The next outcomes of each call, first to last. */
  readonly says: {
    activate: Said<ActivatedLicense>[]
    validate: Said<ActivatedLicense>[]
    deactivate: Said<null>[]
    list: Said<ActivationList>[]
  }
  /** The activations that it lists. */
  activations: readonly Activation[]
  /** What was asked, oldest first. */
  readonly asked: string[]
}

/** @param listsActivations whether it has a list. */
export function createScriptedService(listsActivations: boolean): ScriptedService {
  const says: ScriptedService['says'] = { activate: [], validate: [], deactivate: [], list: [] }
  const asked: string[] = []
  let count = 0
  const license = {
    id: 'lic_1',
    status: 'active',
    endsAtMs: 'never',
    worksAfterEnd: false,
    seatLimit: 'unlimited',
    seatsInUse: null,
    product: null,
    plan: null,
    isTest: null,
  } as const
  const answer = <Value>(value: Value): Outcome<Value> => ({
    kind: 'answer',
    value,
    serverDateMs: null,
    proof: null,
  })
  const scripted: ScriptedService = {
    says,
    asked,
    activations: [],
    service: {
      name: 'scripted',
      baseUrl: 'https://service.example',
      capabilities: {
        listsActivations,
        idempotentByFingerprint: false,
        tellsTheEnd: true,
        signsItsAnswers: false,
      },
      links: { customerPortal: null },
      vendorSecrets: [],
      findLicenseKey: (text) => ({ ok: true, licenseKey: text }),
      async activate({ deviceName, fingerprint }) {
        asked.push('activate')
        const said = says.activate.shift()
        if (said !== undefined) return said
        count += 1
        const activation = { id: `act-${count}`, deviceName, fingerprint, createdAtMs: count }
        scripted.activations = [...scripted.activations, activation]
        return answer({ license, activation })
      },
      async validate({ activationId, fingerprint }) {
        asked.push('validate')
        const activation = { id: activationId, deviceName: null, fingerprint, createdAtMs: null }
        return says.validate.shift() ?? answer({ license, activation })
      },
      async deactivate({ activationId }) {
        asked.push(`deactivate ${activationId}`)
        const said = says.deactivate.shift()
        if (said !== undefined) return said
        scripted.activations = scripted.activations.filter(({ id }) => id !== activationId)
        return answer(null)
      },
      ...(listsActivations && {
        async listActivations() {
          asked.push('list')
          return says.list.shift() ?? answer({ activations: scripted.activations, isWhole: true })
        },
      }),
    },
  }
  return scripted
}

/** A documented refusal. */
export function refusal(reason: RefusalReason, leftoverActivationId: string | null = null): Refusal {
  return { ...refusalOf(reason, { status: 403, serverDateMs: null }), leftoverActivationId }
}

/** Nothing definite: it may have acted. */
export function unavailable(cause: UnavailableCause, known: Partial<Unavailable> = {}): Unavailable {
  return unavailableBy(cause, { mayHaveActed: true, ...known })
}
