import { type Answer, refuse } from './answer.ts'
import { answerLicenseOperation } from './license-answers.ts'
import { answerPage } from './paging.ts'
import type { ServiceRequest } from './service-request.ts'
import type { ServiceState } from './service-state.ts'

/** Items per page, as documented. */
const perPage = 25

/** Answers a request. Synchronous, so that parallel requests can't interleave. */
export function answerRequest(state: ServiceState, request: ServiceRequest): Answer {
  const refusal = refuseByHeaders(state, request)
  if (refusal) return refusal
  const { dialect } = state
  switch (request.operation) {
    case 'discounts':
      return answerPage(
        dialect,
        request,
        dialect.successStatus.discounts,
        perPage,
        state.data.discounts(dialect.discounts),
      )
    case 'customers':
      return answerPage(dialect, request, dialect.successStatus.customers, perPage, state.data.customers())
    default:
      return answerLicenseOperation(state, request)
  }
}

function refuseByHeaders(state: ServiceState, request: ServiceRequest): Answer | null {
  const { dialect, accessToken } = state
  if (accessToken !== null) {
    const authorization = request.header('authorization')
    if (authorization === undefined) return refuse(dialect, 'token-missing')
    if (authorization !== `Bearer ${accessToken}`) return refuse(dialect, 'token-wrong')
  }
  if (dialect.requiresContentType && !isJson(request.header('content-type'))) {
    return refuse(dialect, 'content-type')
  }
  const isList = ['keys', 'discounts', 'customers'].includes(request.operation)
  if (dialect.requiresAccept && isList && !isJson(request.header('accept'))) return refuse(dialect, 'accept')
  return null
}

function isJson(header: string | undefined): boolean {
  return header !== undefined && /(^|,\s*)application\/json\s*(;|,|$)/i.test(header)
}
