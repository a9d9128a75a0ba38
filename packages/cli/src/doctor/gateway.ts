import { randomBytes } from 'node:crypto'
import type { Outcome, ResponseFacts } from '@latchkey/services'
import * as z from 'zod/mini'
import { explain } from '../explain/failure.ts'
import { type Examination, type Finding, findingOf, isUnknownAtGateway } from './examination.ts'

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

const unsigned =
  'no answer is signed: the gateway has no LATCHKEY_SIGNING_KEY, or a proxy removes the headers latchkey-nonce and latchkey-lease. If your app has leaseKeys and the gateway has no key, set one: latchkey-gateway keys generate'
const replaced =
  'a proxy replaces the gateway’s error answers, so apps can’t read them: turn that off, as in nginx with proxy_intercept_errors off'
const mixed =
  'the answers are signed with different keys, or only some are signed: do all instances of the gateway have the same LATCHKEY_SIGNING_KEY?'

const headerSchema = z.object({ kid: z.string() })

/** Judges whether and with which key the gateway signs leases, as an app asks for them. */
export async function examineLeases(exam: Examination): Promise<Omit<Finding, 'check'>> {
  const { licenseKey } = exam
  // At the same time, so that a load balancer spreads them over the instances of the gateway.
  const answers = await Promise.all(
    Array.from({ length: 4 }, () =>
      askForNilKey(exam, licenseKey ?? nilId, {
        'latchkey-nonce': randomBytes(24).toString('base64url'),
      }),
    ),
  )
  const keyIds = new Set<string | null>()
  for (const { outcome, response } of answers) {
    if (outcome?.kind === 'unavailable' && outcome.bodyIsJson === false) {
      return { verdict: 'bad', detail: replaced }
    }
    if (outcome?.kind === 'unavailable' && outcome.cause !== 'not-found') {
      return { verdict: 'bad', detail: findingOf(explain(outcome, exam, 'show key'), exam).detail }
    }
    keyIds.add(keyIdOf(response?.headers.get('latchkey-lease') ?? null))
  }
  const [keyId, ...others] = keyIds
  if (others.length > 0) return { verdict: 'bad', detail: mixed }
  if (keyId == null) return { verdict: 'note', detail: unsigned }
  if (keyId === '') return { verdict: 'bad', detail: 'the header latchkey-lease is unreadable' }
  return {
    verdict: 'good',
    detail: `signed with the key ${keyId}: the app’s leaseKeys need it, or an older key that the gateway still has`,
  }
}

/**
 * Returns the id of the key that a lease is signed with; empty if it is unreadable, `null` without a lease. The signature
 * isn't checked: only the app has the key for it.
 */
function keyIdOf(lease: string | null): string | null {
  if (lease === null) return null
  try {
    const [header = ''] = lease.split('.')
    return headerSchema.parse(JSON.parse(Buffer.from(header, 'base64url').toString())).kid
  } catch {
    return ''
  }
}

/** Finds out whether a gateway serves its page for computers without internet. Returns `null` if no answer comes. */
export async function examineOfflinePage({
  baseUrl,
  call,
  terminal,
}: Examination): Promise<Omit<Finding, 'check'> | null> {
  const url = `${baseUrl}/offline`
  try {
    const signal = AbortSignal.any([terminal.signal, AbortSignal.timeout(call.timeoutMs ?? 15_000)])
    const response = await (call.fetch ?? fetch)(new Request(url), { signal })
    const text = await response.text()
    if (response.status === 200) return { verdict: 'good', detail: `on: ${url}` }
    const detail = text.startsWith('Offline activation is not set up')
      ? 'off. LATCHKEY_OFFLINE_DAYS in the gateway’s settings turns it on'
      : `off, or a proxy doesn’t forward the path /offline (status ${response.status})`
    return { verdict: 'note', detail }
  } catch {
    return null
  }
}
