import type { ServerResponse } from 'node:http'
import { type Dialect, type Refusal, refusalMessages } from '../dialects/dialect.ts'

/** An answer before it is sent. */
export interface Answer {
  status: number
  contentType: string
  /** `undefined`: no body. */
  body: unknown
  /** Headers besides `Content-Type`. */
  headers?: Readonly<Record<string, string>>
  /** Returns headers that sign the body's text and the `Date`. */
  sign?: (text: string, date: string) => Readonly<Record<string, string>>
}

/** A success with a JSON body. */
export function succeed(status: number, body: unknown): Answer {
  return { status, contentType: 'application/json', body }
}

/** Returns all headers of an answer. A fault may already have changed or removed the `Date`. */
export function answerHeaders(
  { contentType, body, headers, sign }: Answer,
  text: string,
  outgoing: ServerResponse,
): Record<string, string> {
  const date = String(outgoing.getHeader('date') ?? new Date().toUTCString())
  return {
    ...(body !== undefined && { 'content-type': contentType }),
    ...headers,
    ...sign?.(text, date),
    ...(sign !== undefined && outgoing.sendDate && { date }),
  }
}

/** Creates a refusal in a dialect's format. */
export function refuse(
  dialect: Dialect,
  refusal: Refusal,
  status: number = dialect.refusalStatus[refusal],
): Answer {
  const message = refusalMessages[refusal]
  switch (dialect.refusalBody) {
    case 'message':
      return succeed(status, { message })
    case 'error':
      return succeed(status, { error: { code: refusal, message } })
    case 'problem':
      return {
        status,
        contentType: 'application/problem+json',
        body: { type: `urn:problem:${refusal}`, title: message, status },
      }
    case 'text':
      return { status, contentType: 'text/plain; charset=utf-8', body: message }
    case 'empty':
      return { status, contentType: 'text/plain; charset=utf-8', body: undefined }
  }
}

/** Returns the answer's body as text. */
export function bodyText(answer: Answer): string {
  if (answer.body === undefined) return ''
  return answer.contentType.includes('json') ? JSON.stringify(answer.body) : String(answer.body)
}
