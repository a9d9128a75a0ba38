import {
  createHttpClient,
  faultOf,
  type HttpFailure,
  type HttpReply,
  type HttpRequest,
  isTemporary,
} from '@latchkey/commerce/http'
import type * as z from 'zod/mini'
import {
  type Refusal,
  type ServiceCall,
  type Unavailable,
  type UnavailableCause,
  unavailable,
} from './license-service.ts'

/** A request to a service. */
export interface ServiceRequest extends HttpRequest {
  /** Whether it uses or releases a seat. If so, the request may have had an effect even if the response is lost. */
  readonly acts?: boolean | undefined
}

/** A response that looks like the service's. Parse `body` with a schema. */
export interface Reply extends HttpReply {
  readonly request: ServiceRequest
}

/** Returns a reply for a 2xx status, or for a 4xx that may be about the license. Anything else is unavailable. */
export type Send = (request: ServiceRequest, call?: ServiceCall) => Promise<Reply | Unavailable>

/** Creates the function that sends the requests of one adapter. @param authorization sent as the header of that name. */
export function createSend(authorization?: string): Send {
  const http = createHttpClient(authorization)
  return async (request, call) => {
    let outcome: HttpReply | HttpFailure
    try {
      outcome = await http(request, call)
    } catch {
      // The request can't be sent, or a listener failed. Calls never throw.
      return unavailable('network', { mayHaveActed: request.acts === true })
    }
    if (outcome.kind === 'failure') return unavailable(...withoutAnswer(outcome, request.acts === true))
    const reply: Reply = { ...outcome, request }
    const { status, text, body } = reply
    const isSuccess = status >= 200 && status < 300
    // A success may have no body, but a web page instead of JSON isn't a success.
    if (isSuccess && (body !== undefined || text === '')) return reply
    return status >= 400 && !isTemporary(status) && body !== undefined ? reply : undocumented(reply)
  }
}

function withoutAnswer(
  { cause, head, wasSent, code }: HttpFailure,
  acts: boolean,
): Parameters<typeof unavailable> {
  const isCut = cause === 'network' && head !== null
  const known = { httpStatus: head?.status ?? null, serverDateMs: head?.serverDateMs ?? null }
  return [isCut ? 'incomplete-answer' : cause, { ...known, mayHaveActed: acts && wasSent, detail: code }]
}

/** A success with its documented body. */
export interface Read<Body> {
  readonly kind: 'read'
  readonly body: Body
  readonly reply: Reply
}

/**
 * Reads a reply.
 *
 * @param schema the documented body of a success.
 * @param readRefusal reads everything else.
 */
export function read<Body>(
  reply: Reply | Unavailable,
  schema: z.ZodMiniType<Body>,
  readRefusal: (reply: Reply) => Refusal | Unavailable = (other) => undocumented(other),
): Read<Body> | Refusal | Unavailable {
  if (reply.kind !== 'reply') return reply
  const { success, data } = schema.safeParse(reply.body)
  return success && reply.status < 300 ? { kind: 'read', body: data, reply } : readRefusal(reply)
}

/**
 * The outcome for a reply whose body isn't documented by the service.
 *
 * @param isOwn whether the body has the form of the service's answers. A proxy's error may be JSON as well.
 */
export function undocumented(reply: Reply, isOwn: boolean = reply.body !== undefined): Unavailable {
  const { status, serverDateMs, retryAfterMs, request } = reply
  return unavailable(causeOf(reply), {
    httpStatus: status,
    retryAfterMs,
    serverDateMs,
    bodyIsJson: isOwn,
    mayHaveActed: request.acts === true,
  })
}

function causeOf({ status, isCut }: Reply): UnavailableCause {
  const fault = faultOf(status)
  return isCut && fault === 'unexpected-answer' ? 'incomplete-answer' : fault
}

/** A status that the adapter doesn't know, so that it can't say whether the license can be used. */
export function unknownStatus({ serverDateMs }: { readonly serverDateMs: number | null }): Unavailable {
  return unavailable('misconfigured', { serverDateMs, detail: 'status' })
}
