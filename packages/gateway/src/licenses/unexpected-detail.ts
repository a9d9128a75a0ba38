import type { CommerceError } from '@latchkey/commerce'

const redirects =
  'the service redirects: check LATCHKEY_UPSTREAM, or upstream.baseUrl in code, such as http:// in place of https://'

/** A service may also refuse in plain text, so this is only a hint. */
const refusalPage =
  'not JSON: if every request gets this answer, a proxy may send it, or LATCHKEY_UPSTREAM, or upstream.baseUrl in code, has http:// for a port that needs https://'

/** Returns what is wrong with an answer that isn't the service's, for the gateway's log. It contains nothing of the answer. */
export function unexpectedDetail(error: CommerceError): string | null {
  const { code, status, field, hint } = error
  if (code === 'untrusted-link') return 'the link to the next page leads away from the address of the service'
  if (status !== null && status >= 300 && status < 400) return redirects
  if (error.bodyIsEmpty) return 'an empty body'
  if (error.bodyIsCut) return 'incomplete JSON'
  if (field !== null) return `the field ${field} is missing or wrong`
  return hint
}

/** Returns the hint for a refusal without JSON, and `null` for any other. */
export function refusalDetail({ bodyIsJson, bodyIsEmpty }: CommerceError): string | null {
  return bodyIsJson === false && !bodyIsEmpty ? refusalPage : null
}
