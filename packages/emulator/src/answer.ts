import type { ServerResponse } from 'node:http'

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

/** An answer with a JSON body. */
export function json(status: number, body: unknown, contentType = 'application/json'): Answer {
  return { status, contentType, body }
}

/** An answer without a body. */
export function noContent(status: number, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, contentType: 'text/plain', body: undefined, headers }
}

/** Returns the answer's body as text. */
export function bodyText({ body, contentType }: Answer): string {
  if (body === undefined) return ''
  return contentType.includes('json') ? JSON.stringify(body) : String(body)
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
