import { randomBytes } from 'node:crypto'
import { type AnswerMeta, isCommerceError } from '@latchkey/commerce'
import * as z from 'zod/mini'
import type { CommandContext } from '../command-context.ts'
import { nilId } from './examine-not-found.ts'
import { explainRefusal } from './explain-failure.ts'
import { watchAnswers } from './explain-proxy.ts'
import type { Finding } from './finding.ts'

const unsigned =
  'no answer is signed: the gateway has no LATCHKEY_SIGNING_KEY, or a proxy removes the headers latchkey-nonce and latchkey-lease. If your app has leaseKeys and the gateway has no key, set one: latchkey-gateway keys generate'
const replaced =
  'a proxy replaces the gateway’s error answers, so apps can’t read them: turn that off, as in nginx with proxy_intercept_errors off'

const mixed =
  'the answers are signed with different keys, or only some are signed: do all instances of the gateway have the same LATCHKEY_SIGNING_KEY?'

const headerSchema = z.object({ kid: z.string() })

/** Adds the request for a lease to a call. */
export interface LeaseRequest {
  readonly headers: Record<string, string>
  readonly onAnswer: (answer: AnswerMeta) => void
}

/** What the answer about a key that can't exist has. */
export type LeaseAnswer =
  | { readonly kind: 'lease'; readonly lease: string }
  /** `isReplaced`: it isn't the gateway's answer, which is JSON. */
  | { readonly kind: 'none'; readonly isReplaced: boolean }
  | { readonly kind: 'failed'; readonly detail: string }

/** Asks for leases as an app does: with the request for a key that can't exist. That takes no seat. */
export async function askForLeases(context: CommandContext, licenseId: string): Promise<LeaseAnswer> {
  const ask = (): Promise<LeaseAnswer> => askForLease(context, licenseId)
  // At the same time, so that a load balancer spreads them over the instances of the gateway.
  const answers = await Promise.all([ask(), ask(), ask(), ask()])
  const signers = new Set(answers.map(signerOf).filter((signer) => signer !== null))
  if (signers.size > 1) return { kind: 'failed', detail: mixed }
  // What doesn't come from the gateway counts more than an answer that does.
  return answers.find((answer) => signerOf(answer) === null) ?? answers[0]
}

/** Returns what the gateway signs with; `null` if this isn't its answer about the key. */
function signerOf(answer: LeaseAnswer): string | null {
  if (answer.kind === 'lease') return keyIdOf(answer.lease) ?? 'unreadable'
  return answer.kind === 'none' && !answer.isReplaced ? 'none' : null
}

async function askForLease(
  { commerce, terminal, baseUrl }: CommandContext,
  licenseId: string,
): Promise<LeaseAnswer> {
  const watch = watchAnswers({ baseUrl, whose: 'gateway' })
  let lease: string | null = null
  let isReplaced = false
  const { headers, onAnswer } = leaseRequest((found) => {
    lease = found
  })
  try {
    await commerce.licenses.key(licenseId, nilId, {
      signal: terminal.signal,
      headers,
      onAnswer: (answer) => {
        watch.onAnswer(answer)
        onAnswer(answer)
      },
    })
  } catch (error) {
    if (!isCommerceError(error) || error.code === 'cancelled') throw error
    // A page with the status of a success, as from nginx with error_page 404 =200.
    const isPage = error.code === 'unexpected-answer' && error.bodyIsJson === false
    if (error.code !== 'not-found' && !isPage) {
      const detail = watch.explain(error)?.detail ?? explainRefusal(error) ?? error.message
      return { kind: 'failed', detail }
    }
    isReplaced = error.bodyIsJson === false
  }
  return lease === null ? { kind: 'none', isReplaced } : { kind: 'lease', lease }
}

export function leaseRequest(onLease: (lease: string | null) => void): LeaseRequest {
  return {
    headers: { 'latchkey-nonce': randomBytes(24).toString('base64url') },
    onAnswer: ({ headers }) => onLease(headers.get('latchkey-lease')),
  }
}

/**
 * Judges whether a gateway signs leases.
 *
 * @param validated the lease in the answer to a validation; `null` if there is none, or none was asked for.
 */
export function judgeLeases(answer: LeaseAnswer, validated: string | null): Finding {
  const check = 'leases'
  if (answer.kind === 'failed') return { check, verdict: 'bad', detail: answer.detail }
  if (answer.kind === 'none' && !answer.isReplaced) return { check, verdict: 'note', detail: unsigned }
  const lease = answer.kind === 'lease' ? answer.lease : validated
  if (lease === null) return { check, verdict: 'bad', detail: replaced }
  const keyId = keyIdOf(lease)
  if (keyId === null) return { check, verdict: 'bad', detail: 'the header latchkey-lease is unreadable' }
  return answer.kind === 'lease'
    ? {
        check,
        verdict: 'good',
        detail: `signed with the key ${keyId}: the app’s leaseKeys need it, or an older key that the gateway still has`,
      }
    : { check, verdict: 'bad', detail: `${replaced}. Its other answers are signed, with the key ${keyId}` }
}

/** Returns the id of the key that a lease is signed with. The signature isn't checked: only the app has the key for it. */
function keyIdOf(lease: string): string | null {
  try {
    const [header = ''] = lease.split('.')
    return headerSchema.parse(JSON.parse(Buffer.from(header, 'base64url').toString())).kid
  } catch {
    return null
  }
}
