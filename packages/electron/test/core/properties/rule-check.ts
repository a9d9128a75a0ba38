import type {
  ActivatedLicense,
  Activation,
  LicenseFacts,
  LicenseService,
  Outcome,
  Refusal,
} from '@latchkey/services'
import type { RecordRules as LicensingRules } from '../../../src/core/device-record.ts'
import type { LicensingCore } from '../../../src/core/licensing.ts'
import { maskLicenseKey } from '../../../src/shared/license-key-text.ts'
import type { LicensingState } from '../../../src/shared/licensing-state.ts'
import type { ActivationResult, DeactivationResult } from '../../../src/shared/results.ts'
import { lookAtDisk } from '../fixture.ts'
import type { ModelLicense } from '../service-model.ts'
import type { Home } from './process.ts'

/** What the service last said about a license, or about this device's activation of it. */
type Verdict = 'valid' | 'expired' | 'suspended' | 'inactive' | 'revoked'

/** The name of the device under test: that of the fake device. */
export const ownLabel = 'Work laptop'
/** The name of its activations at the service. */
export const ownName: RegExp = /^Work laptop \[/
/** The name of every other device's keys. */
export const otherName = 'Tower'

/** Watches one installation and reports broken rules. It knows only its answers, requests and results. */
export interface RuleCheck {
  /** The service. Every definite answer is noted when it arrives. */
  listening(service: LicenseService): LicenseService
  sees(state: LicensingState, previous: LicensingState): void
  launched(state: LicensingState): Promise<void>
  /** @returns a function that takes the result. */
  activates(licenseId: string): (result: ActivationResult) => void
  signsOut(): void
  signedOut(result: DeactivationResult): void
  died(wasBusy: boolean): void
  diskWorks(works: boolean): void
  /** @param ms by how much the wall clock was set forward; negative if it was set back. */
  clockWasSet(ms: number): void
  /** Checks disk and state while nothing is in progress. */
  looksAround(core: LicensingCore): Promise<void>
  /** The activation of this device that the service last confirmed. */
  readonly confirmed: { readonly licenseKey: string; readonly activationId: string } | null
  /** Licenses of which it requested a seat while no write succeeded, until it died. The disk doesn't show that. */
  readonly unrecorded: ReadonlySet<string>
  /** Looks for secrets in all output. */
  searches(licenses: readonly ModelLicense[], lines: readonly string[]): void
}

/** The last definite answer about a license that this installation received. */
interface Heard {
  readonly verdict: Verdict
  readonly atMs: number
  /** Whether a second refusal a day later proves it. The record may begin to count at a later one. */
  readonly isBySecondRefusal: boolean
}

/** What was known when entitlement was lost. */
interface Loss {
  /** Whether an answer took it. Otherwise time did. */
  readonly isDefinite: boolean
  readonly valids: number
  readonly answers: number
  readonly writes: number
}

/** Answers have whole seconds, and the mark follows them. */
const toleranceMs = 2000
const hourMs = 60 * 60 * 1000
const dayMs = 24 * hourMs
/** How long a service without a list must refuse before that is a proof. */
const proofAfterMs = dayMs

export function createRuleCheck(
  home: Home,
  rules: LicensingRules,
  licenses: () => readonly ModelLicense[],
  nowMs: () => number,
  violate: (text: string) => void,
): RuleCheck {
  const heard = new Map<string, Heard>()
  const lastValid = new Map<string, number>()
  /** Whether a process died that may not have saved what it heard. */
  let mayHaveForgotten = false
  /** When each license ends, as the service reported it. */
  const ends = new Map<string, number>()
  /** Since when a service without a list has refused a license, and what it means once a second refusal proves it. */
  const unknownSince = new Map<string, { readonly verdict: Verdict; readonly sinceMs: number }>()
  const keyIds = new Set<string>()
  const said: string[] = []
  let latestMs = nowMs()
  /** The license that should be active here. `null` if there is none. */
  let owed: string | null = null
  let wishes = 0
  let valids = 0
  let answers = 0
  /** The answers received when entitlement was lost. `null` while entitled, or if the disk may not have them. */
  let loss: Loss | null = null
  let wasClockSet = false
  let clockSetAtMs = Number.NEGATIVE_INFINITY
  /** How far the clock was set forward while it was behind. */
  let countedMs = 0
  let hasSignedOut = false
  /** Number of writes when the disk last failed. Until the next one it has the earlier record. */
  let staleSince: number | null = null
  /** Licenses of which a seat was requested since the last successful write. */
  const unwritten = new Set<string>()
  const unrecorded = new Set<string>()
  /** Whether the disk may lack an answer. */
  let isInDoubt = false
  let confirmed: RuleCheck['confirmed'] = null
  let reached: LicenseService | undefined

  function hear(licenseId: string, verdict: Verdict, isBySecondRefusal = false): void {
    heard.set(licenseId, { verdict, atMs: nowMs(), isBySecondRefusal })
    if (verdict === 'valid') {
      valids += 1
      lastValid.set(licenseId, nowMs())
    } else if (owed === licenseId) owed = null
  }

  /** A documented reason is a definite answer about the license. */
  function hearRefusal(licenseId: string, { reason, license, mayBeUnknown = false }: Refusal): void {
    const isVerdict = reason === 'expired' || reason === 'suspended' || reason === 'inactive'
    if (isVerdict && !mayBeUnknown) {
      unknownSince.delete(licenseId)
      if (typeof license?.endsAtMs === 'number') ends.set(licenseId, license.endsAtMs)
      hear(licenseId, reason)
    } else if (isVerdict) {
      // Dodo says the same about a license that it doesn't know, so one such refusal proves nothing.
      hearUnknown(licenseId, reason)
    } else if (reason === 'unknown-activation') {
      hearUnknown(licenseId, 'revoked')
    }
  }

  /** Without a list, the second such refusal a day later is the proof. */
  function hearUnknown(licenseId: string, verdict: Verdict): void {
    const earlier = unknownSince.get(licenseId)
    const sinceMs = earlier?.verdict === verdict ? earlier.sinceMs : nowMs()
    unknownSince.set(licenseId, { verdict, sinceMs })
    if (nowMs() - sinceMs >= proofAfterMs - toleranceMs) hear(licenseId, verdict, true)
  }

  function verdictOf(licenseKey: string, { status, endsAtMs, worksAfterEnd }: LicenseFacts): Verdict {
    const endMs = typeof endsAtMs === 'number' && !worksAfterEnd ? endsAtMs : Number.POSITIVE_INFINITY
    if (endMs !== Number.POSITIVE_INFINITY) ends.set(licenseKey, endMs)
    if (status === 'suspended' || status === 'expired') return status
    // This computer's clock only protects a license that still works.
    if (status === 'inactive') return nowMs() >= endMs ? 'expired' : 'inactive'
    return hasEnded(endMs) ? 'expired' : 'valid'
  }

  /** A wrong `Date` must not lock anyone out, so a clock that contradicts it by more than a day keeps the record. */
  function hasEnded(endMs: number): boolean {
    const isContradicted = home.clock.now() < endMs && nowMs() - home.clock.now() > dayMs
    return nowMs() >= endMs && !isContradicted
  }

  /** The latest moment that this installation can assume it is. */
  function latest(): number {
    latestMs = Math.max(latestMs, nowMs() + countedMs, home.clock.now())
    return latestMs
  }

  function isGraceOver(licenseId: string): boolean {
    return latest() - (lastValid.get(licenseId) ?? 0) >= rules.graceMs - toleranceMs
  }

  const look = () => lookAtDisk({ ...home, rules, service: reached, nowMs: home.clock.now() })

  const licenseKeyOf = (maskedKey: string): string =>
    licenses().find(({ id }) => maskLicenseKey(id) === maskedKey)?.id ?? ''

  /** The next process goes by what lies on disk. */
  async function forget(): Promise<void> {
    if (!mayHaveForgotten) return
    mayHaveForgotten = false
    const { state, validAtMs } = await look()
    if (state.license === null || validAtMs === null) return
    const licenseKey = licenseKeyOf(state.license.maskedKey)
    lastValid.set(licenseKey, Math.min(validAtMs, lastValid.get(licenseKey) ?? validAtMs))
  }

  function diskIsFine(): boolean {
    return home.store.failure === null && (staleSince === null || home.store.writes > staleSince)
  }

  /** Rule 1: entitlement is lost only for a reason. Rule 2: a definite answer is a reason. */
  function checkLoss(state: LicensingState): void {
    const verdicts = [...heard.values()].map(({ verdict }) => verdict as string)
    switch (state.status) {
      case 'unlicensed':
        if (!hasSignedOut) violate('rule 1: signed out by nobody')
        return
      case 'unverified':
        if (![...lastValid.keys()].some(isGraceOver)) violate('rule 1: unverified before grace was over')
        return
      case 'expired':
        if (!verdicts.includes('expired') && latest() < Math.min(...ends.values())) {
          violate('rule 1: expired before the end the license named')
        }
        return
      default:
        if (!verdicts.includes(state.status))
          violate(`rule 1: ${state.status}, and the service never said so`)
    }
  }

  /** Rule 2: only an answer restores what an answer took, and only the service's time restores what time took. */
  function checkGain(state: LicensingState): void {
    if (loss === null) return
    const hasReason = loss.isDefinite ? valids > loss.valids : answers > loss.answers
    if (!hasReason) violate(`rule 2: ${state.status} again, and the service said nothing`)
  }

  function checkOwed(state: LicensingState, when: string): void {
    if (owed === null || state.entitled || isGraceOver(owed) || latest() >= (ends.get(owed) ?? Infinity))
      return
    violate(`rule 1: a customer who was activated is ${state.status} ${when}`)
  }

  return {
    listening(service) {
      reached = service
      /** Notes an answer, or a documented refusal: each comes with the service's time. */
      function note<Value>(
        licenseKey: string,
        outcome: Outcome<Value>,
        verdict: (value: Value) => Verdict | null,
        isAboutRecord = false,
      ): Outcome<Value> {
        if (outcome.kind === 'unavailable') return outcome
        answers += 1
        if (outcome.kind === 'refusal') {
          if (isAboutRecord) hearRefusal(licenseKey, outcome)
          return outcome
        }
        unknownSince.delete(licenseKey)
        const read = verdict(outcome.value)
        if (read !== null) hear(licenseKey, read)
        return outcome
      }
      // If the service has a list, only a list without the key proves that this device's key is gone.
      const gone = (activations: readonly Activation[]): Verdict | null =>
        activations.some(({ deviceName }) => deviceName === ownLabel) ? null : 'revoked'
      const silent = (): null => null
      // What is said about another device's key explains a refusal, and is no answer about this device.
      const licensed =
        (licenseKey: string) =>
        ({ license, activation }: ActivatedLicense): Verdict | null => {
          keyIds.add(activation.id)
          if (activation.deviceName === otherName) return null
          confirmed = { licenseKey, activationId: activation.id }
          return verdictOf(licenseKey, license)
        }
      const { listActivations, showActivation, showLicense } = service
      return {
        ...service,
        async activate(request, call) {
          const { licenseKey } = request
          if (!diskIsFine()) unwritten.add(licenseKey)
          return note(licenseKey, await service.activate(request, call), licensed(licenseKey))
        },
        async validate(request, call) {
          const { licenseKey } = request
          return note(licenseKey, await service.validate(request, call), licensed(licenseKey), true)
        },
        async deactivate(request, call) {
          return note(request.licenseKey, await service.deactivate(request, call), silent)
        },
        ...(listActivations && {
          listActivations: async (request, call) =>
            note(request.licenseKey, await listActivations(request, call), (list) => gone(list.activations)),
        }),
        ...(showActivation && {
          showActivation: async (request, call) =>
            note(request.licenseKey, await showActivation(request, call), silent),
        }),
        // It says nothing about a license, but its time may give back what a wrong clock took.
        ...(showLicense && {
          async showLicense(request, call) {
            const outcome = await showLicense(request, call)
            if (outcome.kind !== 'unavailable') answers += 1
            return outcome
          },
        }),
      }
    },

    sees(state, previous) {
      said.push(JSON.stringify(state))
      latest()
      if (previous.entitled && !state.entitled) {
        checkLoss(state)
        const isDefinite = [...heard.values()].some(({ verdict }) => verdict === state.status)
        loss = { isDefinite, valids, answers, writes: home.store.writes }
      }
      if (state.entitled) {
        checkGain(state)
        loss = null
      }
    },

    async launched(state) {
      said.push(JSON.stringify(state))
      await forget()
      if (diskIsFine()) checkOwed(state, 'after a restart')
    },

    activates(licenseId) {
      wishes += 1
      const wish = wishes
      // Another license may replace the previous one.
      if (owed !== licenseId) owed = null
      return (result) => {
        said.push(JSON.stringify(result))
        // A newer request counts more, and so does a check that heard another answer before the activation ended.
        const isLatest = wish === wishes && heard.get(licenseId)?.verdict === 'valid'
        if (result.ok && diskIsFine() && isLatest) owed = licenseId
      }
    },

    signsOut() {
      wishes += 1
      owed = null
      hasSignedOut = true
    },

    signedOut(result) {
      said.push(JSON.stringify(result))
    },

    died(wasBusy) {
      isInDoubt = true
      if (!diskIsFine()) for (const licenseId of unwritten) unrecorded.add(licenseId)
      unwritten.clear()
      mayHaveForgotten ||= wasBusy
      // A loss at that moment may not have reached the disk. If time alone caused it, it counts from the next write on,
      // which follows within an hour.
      const isTimeUnsaved = loss !== null && !loss.isDefinite && loss.writes === home.store.writes
      if (wasBusy || !diskIsFine() || isTimeUnsaved) loss = null
    },

    diskWorks(works) {
      if (diskIsFine()) unwritten.clear()
      if (works) return
      staleSince = home.store.writes
      owed = null
    },

    clockWasSet(ms) {
      wasClockSet = true
      clockSetAtMs = nowMs()
      // A clock that is behind and advances by less than a month can't be told from time that passed.
      if (ms > 0 && ms <= 30 * dayMs && home.clock.now() < nowMs()) countedMs += ms
      latest()
    },

    async looksAround(core) {
      said.push(core.diagnose().join('\n'))
      checkOwed(core.state, 'while nothing is under way')
      const disk = await look()
      if (!disk.isReadable) violate('rule 4: the file does not open')
      if (!diskIsFine()) return
      if (disk.state.license === null) {
        if (core.state.entitled) violate('rule 4: what is entitled is not on disk')
        return
      }
      const licenseKey = licenseKeyOf(disk.state.license.maskedKey)
      const endMs = ends.get(licenseKey) ?? Number.POSITIVE_INFINITY
      const last = heard.get(licenseKey)
      const onDisk = verdictOn(disk.state)
      const isSame =
        last?.verdict === onDisk || (last?.verdict === 'valid' && onDisk === 'expired' && latest() >= endMs)
      // An activation doesn't keep such a refusal, so the record's day begins with the next check.
      const mayLag = last?.verdict === 'revoked' || last?.isBySecondRefusal === true
      if (last !== undefined && !isInDoubt && !isSame && !mayLag) {
        violate(`rule 2: the service said ${last.verdict}, the record says ${onDisk}`)
      }
      // The disk is read at the time of a clock that was just set. The app notices that within an hour.
      const isEndUnnoticed =
        nowMs() - clockSetAtMs <= hourMs + toleranceMs && isSame && last?.verdict === 'valid'
      if (core.state.entitled && onDisk !== 'valid' && !isEndUnnoticed)
        violate(`rule 2: entitled while ${onDisk}`)
      if (isSame) isInDoubt = false
      const expiresAtMs = Date.parse(core.state.license?.expiresAt ?? '') || Number.POSITIVE_INFINITY
      // A renewal may stay unknown for that long.
      const heldMs = Math.min(rules.renewalGraceMs, rules.graceMs)
      if (core.state.entitled && !wasClockSet && nowMs() > expiresAtMs + heldMs + toleranceMs) {
        violate('rule 2: entitled beyond the end the license named')
      }
    },

    get confirmed() {
      return confirmed
    },
    unrecorded,

    searches(licenses, lines) {
      const everything = [...said, ...lines].join('\n')
      for (const { id, keys } of licenses) {
        if (everything.includes(id)) violate('rule 5: a license key was told')
        for (const keyId of keyIds)
          if (everything.includes(keyId)) violate('rule 5: the id of a key was told')
        for (const key of keys) if (everything.includes(key.id)) violate('rule 5: the id of a key was told')
      }
    },
  }
}

/** What the record says about the license, as far as its state shows it. */
function verdictOn({ status }: LicensingState): Verdict {
  switch (status) {
    case 'expired':
    case 'suspended':
    case 'inactive':
    case 'revoked':
      return status
    default:
      return 'valid'
  }
}
