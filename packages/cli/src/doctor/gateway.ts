import { randomBytes } from 'node:crypto'
import type { Outcome, ResponseFacts } from '@latchkey/services'
import { decodeProtectedHeader } from 'jose'
import * as z from 'zod/mini'
import { explain } from '../explain/failure.ts'
import {
  bad,
  type Examination,
  findingOf,
  good,
  isUnknownAtGateway,
  note,
  type Result,
} from './examination.ts'

/** A gateway answers that it doesn't know this key, without asking the service. */
const nilId = '00000000-0000-0000-0000-000000000000'

/** Asks for a key that can't exist, which takes no seat. */
async function askForNilKey(
  { service, call }: Examination,
  licenseKey: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly outcome: Outcome<unknown> | undefined; readonly response: ResponseFacts | null }> {
  let response: ResponseFacts | null = null
  const onResponse = (answered: ResponseFacts): void => {
    call.onResponse?.(answered)
    response = answered
  }
  const request = { licenseKey, activationId: nilId, fingerprint: '' }
  const outcome = await service.showActivation?.(request, { ...call, headers, onResponse })
  return { outcome, response }
}

/** Whether a gateway is at this address, whatever the service behind it says. */
export async function answersLikeGateway(exam: Examination): Promise<boolean> {
  const { outcome } = await askForNilKey(exam, nilId)
  return outcome !== undefined && isUnknownAtGateway(outcome)
}

/** Judges whether and with which key the gateway signs leases, as an app asks for them. */
export async function examineLeases(exam: Examination): Promise<Result | null> {
  const { licenseKey, isGateway } = exam
  if (!isGateway) return null
  // At the same time, so that a load balancer spreads them over the instances of the gateway.
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => {
      const headers = { 'latchkey-nonce': randomBytes(24).toString('base64url') }
      return askForNilKey(exam, licenseKey ?? nilId, headers)
    }),
  )
  const failed = answers.flatMap(({ outcome }) => (outcome?.kind === 'unavailable' ? [outcome] : []))
  if (failed.some(({ bodyIsJson }) => bodyIsJson === false)) {
    return bad(
      'a proxy replaces the gateway’s error answers, so apps can’t read them: turn that off, as in nginx with proxy_intercept_errors off',
    )
  }
  const unexpected = failed.find(({ cause }) => cause !== 'not-found')
  if (unexpected !== undefined) return bad(findingOf(explain(unexpected, exam, 'show device'), exam).detail)
  const keyIds = answers.map(({ response }) => keyIdOf(response?.headers.get('latchkey-lease') ?? null))
  const [keyId = null, ...others] = new Set(keyIds)
  if (others.length > 0) {
    return bad(
      'the answers are signed with different keys, or only some are signed: do all instances of the gateway have the same LATCHKEY_SIGNING_KEY?',
    )
  }
  if (keyId === null) {
    return note(
      'no answer is signed: the gateway has no LATCHKEY_SIGNING_KEY, or a proxy removes the headers latchkey-nonce and latchkey-lease. If your app has leaseKeys and the gateway has no key, set one: latchkey-gateway keys generate',
    )
  }
  if (keyId === '') return bad('the header latchkey-lease is unreadable')
  return good(
    `signed with the key ${keyId}: the app’s leaseKeys need it, or an older key that the gateway still has`,
  )
}

const headerSchema = z.object({ kid: z.string() })

/**
 * Returns the id of the key that a lease is signed with; empty if it is unreadable, `null` without a lease. The signature
 * isn't checked: only the app has the key for it.
 */
function keyIdOf(lease: string | null): string | null {
  if (lease === null) return null
  try {
    return headerSchema.parse(decodeProtectedHeader(lease)).kid
  } catch {
    return ''
  }
}

/** Finds out whether a gateway serves its page for computers without internet. Returns `null` if no answer comes. */
export async function examineOfflinePage(exam: Examination): Promise<Result | null> {
  const { baseUrl, call, terminal, options, isGateway } = exam
  if (!isGateway) return null
  const url = `${baseUrl}/offline`
  try {
    const signal = AbortSignal.any([terminal.signal, AbortSignal.timeout(options.timeout * 1000)])
    const response = await (call.fetch ?? fetch)(new Request(url), { signal })
    const text = await response.text()
    if (response.status === 200) return good(`on: ${url}`)
    return note(
      text.startsWith('Offline activation is not set up')
        ? 'off. LATCHKEY_OFFLINE_DAYS in the gateway’s settings turns it on'
        : `off, or a proxy doesn’t forward the path /offline (status ${response.status})`,
    )
  } catch {
    return null
  }
}
