import type {
  ActivatedLicense,
  Activation,
  LicenseService,
  Outcome,
  ServiceCapabilities,
  UnavailableCause,
} from '@latchkey/services'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createTestDevice, dayMs, hourMs } from '../../core/fixture.ts'
import { refusal, unavailable } from '../../doubles/scripted-service.ts'

/** What becomes of the requests from one action on. */
const fates = ['served', 'request-lost', 'answer-lost', 'server-error', 'portal', 'denied'] as const
type Fate = (typeof fates)[number]

const causes: Readonly<Record<Exclude<Fate, 'served' | 'denied'>, UnavailableCause>> = {
  'request-lost': 'network',
  'answer-lost': 'timeout',
  'server-error': 'server-error',
  portal: 'unexpected-answer',
}

/** What changes how a denial is read. The adapters themselves play other histories. */
const adapters: readonly (readonly [string, ServiceCapabilities])[] = [
  ['a service without a list', capabilitiesOf(false)],
  ['a service with a list', capabilitiesOf(true)],
]

function capabilitiesOf(listsActivations: boolean): ServiceCapabilities {
  return { listsActivations, idempotentByFingerprint: false, tellsTheEnd: true, signsItsAnswers: false }
}

const licenseKey = 'INKWELL-1C285B2D-6CE6-4BC7-B8BE-ADB6A7E304DA'

/** A service of these capabilities, as small as can be, with an unlimited license. */
function createModel(capabilities: ServiceCapabilities) {
  let seats: readonly Activation[] = []
  let count = 0
  let lostActivations = 0
  let validatedId: string | null = null
  const model = {
    fate: 'served' as Fate,
    seats: () => seats,
    /** Activations that the service created and whose answer was lost. */
    lostActivations: () => lostActivations,
    /** The activation that was validated last. */
    validatedId: () => validatedId,
  }
  const license = {
    id: 'lic_1',
    status: 'active',
    endsAtMs: capabilities.tellsTheEnd ? 'never' : null,
    worksAfterEnd: false,
    seatLimit: 'unlimited',
    seatsInUse: null,
    product: null,
    plan: null,
    isTest: null,
  } as const

  async function answer<Value>(act: () => Outcome<Value>): Promise<Outcome<Value>> {
    const { fate } = model
    if (fate === 'served') return act()
    if (fate === 'denied') return refusal('unknown-license')
    if (fate === 'answer-lost') act()
    return unavailable(causes[fate], fate === 'server-error' ? { httpStatus: 503 } : {})
  }
  const done = <Value>(value: Value): Outcome<Value> => ({
    kind: 'answer',
    value,
    serverDateMs: null,
    proof: null,
  })
  const find = (id: string): Activation | undefined => seats.find((seat) => seat.id === id)

  const service: LicenseService = {
    name: 'model',
    baseUrl: 'https://service.example',
    capabilities,
    links: { customerPortal: null },
    vendorSecrets: [],
    findLicenseKey: (text) => ({ ok: true, licenseKey: text.trim() }),
    activate: ({ deviceName, fingerprint }) =>
      answer<ActivatedLicense>(() => {
        count += 1
        if (model.fate === 'answer-lost') lostActivations += 1
        const activation = { id: `act_${count}`, deviceName, fingerprint, createdAtMs: count }
        seats = [...seats, activation]
        return done({ license, activation })
      }),
    validate: ({ activationId }) =>
      answer<ActivatedLicense>(() => {
        const activation = find(activationId)
        if (activation !== undefined) validatedId = activationId
        return activation === undefined ? refusal('unknown-activation') : done({ license, activation })
      }),
    deactivate: ({ activationId }) =>
      answer<null>(() => {
        if (find(activationId) === undefined) return refusal('unknown-activation')
        seats = seats.filter(({ id }) => id !== activationId)
        return done(null)
      }),
    ...(capabilities.listsActivations && {
      listActivations: () => answer(() => done({ activations: seats, isWhole: true })),
    }),
  }
  return { model, service }
}

type Action =
  | { readonly do: 'activate' | 'deactivate' | 'validate' | 'launch' | 'kill' }
  | { readonly do: 'wait'; readonly hours: number }
  | { readonly do: 'fate'; readonly fate: Fate }

const action: fc.Arbitrary<Action> = fc.oneof(
  fc
    .constantFrom('activate', 'deactivate', 'validate', 'launch', 'kill')
    .map((verb) => ({ do: verb }) as const),
  fc.constantFrom(1, 7, 30, 100).map((hours) => ({ do: 'wait', hours }) as const),
  fc.constantFrom(...fates).map((fate) => ({ do: 'fate', fate }) as const),
)

const isLong = process.env['LATCHKEY_LONG'] === '1'

describe.each(adapters)('with random faults and denials between an app and %s', (_name, capabilities) => {
  test('no device is locked out, and no seat is lost without a lost answer', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 14 }), async (actions) => {
        const { model, service } = createModel(capabilities)
        const device = createTestDevice(null, { service })
        await device.launch()
        let wants = false
        // When the service last answered well, and since when it denies.
        let goodAtMs = Number.NEGATIVE_INFINITY
        let deniedSinceMs: number | null = null
        let wasDeniedForLong = false
        for (const step of actions) {
          switch (step.do) {
            case 'activate': {
              const result = await device.core.activate(licenseKey)
              wants ||= result.ok
              break
            }
            case 'deactivate':
              await device.core.deactivate()
              wants = false
              break
            case 'validate':
              await device.core.validate()
              break
            case 'launch':
              await device.launch()
              break
            case 'kill':
              device.kill()
              await device.launch()
              break
            case 'wait':
              await device.elapse(step.hours * hourMs)
              break
            case 'fate':
              model.fate = step.fate
              deniedSinceMs = step.fate === 'denied' ? device.elapsedMs() : null
          }
          if (model.fate === 'served' && device.state.status === 'active') goodAtMs = device.elapsedMs()
          // Where activations are listed, a denial without a list proves nothing.
          const isDeniedForLong =
            !capabilities.listsActivations &&
            deniedSinceMs !== null &&
            device.elapsedMs() - deniedSinceMs >= dayMs
          if (isDeniedForLong) {
            goodAtMs = Number.NEGATIVE_INFINITY
            wasDeniedForLong = true
          }
          // Rule 1: an unreachable service, or one without a list that denies for less than a day, costs nothing before grace ends.
          const isPaid = wants && device.elapsedMs() - goodAtMs < 13 * dayMs
          if (isPaid) expect(device.state.entitled).toBe(true)
        }
        // The user settles it once all is well again.
        model.fate = 'served'
        await device.elapse(3 * dayMs)
        if (wants) await device.core.activate(licenseKey)
        else await device.core.deactivate()
        await device.elapse(3 * dayMs)
        expect(device.state.status).toBe(wants ? 'active' : 'unlicensed')
        expect(await device.lookAtDisk()).toMatchObject({ pending: 'none', owed: 0 })
        // Rule 3. Without a list, each lost answer may leave one seat behind: the exception that the docs name.
        const seats = model.seats()
        const own = wants ? 1 : 0
        const held = seats.filter(({ id }) => id === model.validatedId())
        const mostLeft = capabilities.listsActivations ? 0 : model.lostActivations()
        // What a service without a list denies for more than a day counts as gone, and is not given back.
        if (wants || !wasDeniedForLong) expect(held).toHaveLength(own)
        if (!wasDeniedForLong) expect(seats.length - own).toBeLessThanOrEqual(mostLeft)
        // Rule 5.
        expect(JSON.stringify([device.states, device.logger.lines])).not.toContain(licenseKey)
      }),
      isLong ? { numRuns: 5_000 } : { numRuns: 30, seed: 16 },
    )
  })
})
