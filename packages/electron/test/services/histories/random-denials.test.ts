import type { LicenseService, UnavailableCause } from '@latchkey/services'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTestDevice, dayMs, hourMs } from '../../core/fixture.ts'
import { createScriptedService, refusal, unavailable } from '../../doubles/scripted-service.ts'
import { wrapCalls } from '../../doubles/with-call.ts'

/** What becomes of the requests from one action on. */
const fates = ['served', 'request-lost', 'answer-lost', 'server-error', 'portal', 'denied'] as const
type Fate = (typeof fates)[number]

const causes: Readonly<Record<Exclude<Fate, 'served' | 'denied'>, UnavailableCause>> = {
  'request-lost': 'network',
  'answer-lost': 'timeout',
  'server-error': 'server-error',
  portal: 'unexpected-answer',
}

const licenseKey = 'INKWELL-1C285B2D-6CE6-4BC7-B8BE-ADB6A7E304DA'

/** A service as small as can be, with an unlimited license. The adapters themselves play other histories. */
function createModel(listsActivations: boolean) {
  const scripted = createScriptedService(listsActivations)
  const model = {
    fate: 'served' as Fate,
    seats: () => scripted.activations,
    /** Activations that the service created and whose answer was lost. */
    lostActivations: 0,
    /** The activation that was validated last. */
    validatedId: '',
  }
  const isKnown = (id: string): boolean => scripted.activations.some((seat) => seat.id === id)
  const { validate, deactivate } = scripted.service
  const known: LicenseService = {
    ...scripted.service,
    async validate(request) {
      if (!isKnown(request.activationId)) return refusal('unknown-activation')
      model.validatedId = request.activationId
      return validate(request)
    },
    deactivate: async (request) =>
      isKnown(request.activationId) ? deactivate(request) : refusal('unknown-activation'),
  }
  const service = wrapCalls(known, async (operation, send) => {
    const { fate } = model
    if (fate === 'served') return send()
    if (fate === 'denied') return refusal('unknown-license')
    if (fate === 'answer-lost') {
      await send()
      if (operation === 'activate') model.lostActivations += 1
    }
    return unavailable(causes[fate], fate === 'server-error' ? { httpStatus: 503 } : {})
  })
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

test.each([false, true])(
  'with random faults and denials, no device is locked out, and no seat is lost without a lost answer (list: %s)',
  async (listsActivations) => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 14 }), async (actions) => {
        const { model, service } = createModel(listsActivations)
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
            !listsActivations && deniedSinceMs !== null && device.elapsedMs() - deniedSinceMs >= dayMs
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
        const held = seats.filter(({ id }) => id === model.validatedId)
        const mostLeft = listsActivations ? 0 : model.lostActivations
        // What a service without a list denies for more than a day counts as gone, and is not given back.
        if (wants || !wasDeniedForLong) expect(held).toHaveLength(own)
        if (!wasDeniedForLong) expect(seats.length - own).toBeLessThanOrEqual(mostLeft)
        // Rule 5.
        expect(JSON.stringify([device.states, device.logger.lines])).not.toContain(licenseKey)
      }),
      isLong ? { numRuns: 5_000 } : { numRuns: 30, seed: 16 },
    )
  },
)
