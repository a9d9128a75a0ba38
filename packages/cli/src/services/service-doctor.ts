import type { ActivationList, LicenseFacts, LicenseService, Outcome, Unavailable } from '@latchkey/services'
import { examineClock, examineLatency } from '../doctor/examine.ts'
import { countOf } from '../doctor/examine-gateway.ts'
import type { Finding } from '../doctor/finding.ts'
import { printFindings } from '../doctor/print-findings.ts'
import { isStateReason, listError, type OutcomeError, outcomeError } from './outcome-error.ts'
import type { ServiceContext } from './service-context.ts'
import { readLicenseKey } from './service-license-key.ts'
import { settingAdvice } from './setting-advice.ts'
import { whyNotActivated } from './why-not-activated.ts'

/** A license key that no service has sold. */
const unknownKey = '00000000-0000-4000-8000-000000000000'

const samples = 3

/** `latchkey doctor` for a service behind an adapter. It changes nothing at the service. */
export async function runServiceDoctor(
  context: ServiceContext,
  options: { readonly license?: string },
): Promise<number> {
  const { service, terminal } = context
  const licenseKey =
    options.license === undefined ? null : await readLicenseKey(service, options.license, terminal)
  return printFindings(context, await examineService(context, licenseKey))
}

async function examineService(
  { service, call, terminal }: ServiceContext,
  licenseKey: string | null,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [
    { check: 'base URL', verdict: 'good', detail: `${service.baseUrl} (${service.name})` },
  ]
  const durationsMs: number[] = []
  let answer: { status: number; serverDateMs: number | null; arrivedAtMs: number } | null = null
  let waitsSinceMs = 0
  const onResponse = ({ status, serverDateMs }: { status: number; serverDateMs: number | null }): void => {
    answer ??= { status, serverDateMs, arrivedAtMs: Date.now() }
    // One question may take several requests, one after the other, or none if the adapter knows the answer.
    const arrivedMs = performance.now()
    durationsMs.push(arrivedMs - waitsSinceMs)
    waitsSinceMs = arrivedMs
  }
  let outcome: Outcome<LicenseFacts> | undefined
  for (let sample = 0; sample < samples; sample += 1) {
    waitsSinceMs = performance.now()
    outcome = await service.showLicense?.({ licenseKey: licenseKey ?? unknownKey }, { ...call, onResponse })
    if (outcome?.kind === 'unavailable') break
  }
  const first: { status: number; serverDateMs: number | null; arrivedAtMs: number } | null = answer
  const detailOf = ({ message, suspected }: OutcomeError): string => {
    return `${message}${settingAdvice(suspected, { service: service.name, options: {}, env: terminal.env })}`
  }
  findings.push(...examineAnswer(outcome, licenseKey !== null, detailOf))
  if (licenseKey !== null && !findings.some(({ verdict }) => verdict === 'bad')) {
    findings.push(...examineLicense(service, outcome))
    const listed = await service.listActivations?.({ licenseKey }, call)
    findings.push(...examineList(listed, service.vendorSecrets.length > 0, detailOf))
  }
  if (first !== null) findings.push(...timesOf(first, durationsMs))
  return findings
}

function timesOf(
  { status, serverDateMs, arrivedAtMs }: { status: number; serverDateMs: number | null; arrivedAtMs: number },
  durationsMs: readonly number[],
): readonly Finding[] {
  return [
    { check: 'reachable', verdict: 'good', detail: `answers with status ${status}` },
    examineClock(serverDateMs, arrivedAtMs, 'service'),
    examineLatency(durationsMs),
  ]
}

function examineAnswer(
  outcome: Outcome<unknown> | undefined,
  isKnownKey: boolean,
  detailOf: (error: OutcomeError) => string,
): readonly Finding[] {
  if (outcome === undefined) return []
  if (outcome.kind === 'unavailable') {
    return [{ check: checkOf(outcome), verdict: 'bad', detail: detailOf(outcomeError(outcome)) }]
  }
  if (!isKnownKey) {
    return [
      { check: 'schema', verdict: 'good', detail: 'refuses an unknown license key as documented' },
      { check: 'access token', verdict: 'note', detail: 'not checked: pass --license with a license key' },
    ]
  }
  if (outcome.kind === 'answer') {
    return [{ check: 'schema', verdict: 'good', detail: 'shows the license as documented' }]
  }
  const error = outcomeError(outcome)
  const isElsewhere = error.suspected === 'license' || error.suspected === 'product'
  return [{ check: 'license', verdict: isElsewhere ? 'bad' : 'note', detail: detailOf(error) }]
}

function checkOf({ cause, httpStatus }: Unavailable): Finding['check'] {
  if (cause === 'access-denied') return 'access token'
  if (cause === 'server-error' || cause === 'rate-limited') return 'service'
  return httpStatus === null ? 'reachable' : 'schema'
}

function examineLicense(
  service: LicenseService,
  outcome: Outcome<LicenseFacts> | undefined,
): readonly Finding[] {
  const detail = outcome?.kind === 'answer' ? whyNotActivated(service, outcome.value) : null
  return detail === null ? [] : [{ check: 'license', verdict: 'bad', detail }]
}

function examineList(
  listed: Outcome<ActivationList> | undefined,
  hasVendorKey: boolean,
  detailOf: (error: OutcomeError) => string,
): readonly Finding[] {
  const check = 'list keys'
  if (listed === undefined) return [{ check, verdict: 'note', detail: 'the service lists no devices' }]
  if (listed.kind === 'answer') {
    const found: Finding = { check, verdict: 'good', detail: countOf(listed.value.activations) }
    return hasVendorKey ? [{ check: 'access token', verdict: 'good', detail: 'accepted' }, found] : [found]
  }
  const detail = detailOf(listError(listed))
  if (listed.kind === 'refusal') {
    return [{ check, verdict: isStateReason(listed.reason) ? 'note' : 'bad', detail }]
  }
  return [{ check: listed.cause === 'access-denied' ? 'access token' : check, verdict: 'bad', detail }]
}
