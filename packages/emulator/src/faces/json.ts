import type { Answer } from '../service/answer.ts'

/** An answer with a JSON body. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return { status, contentType: 'application/json', body, headers }
}

/** An answer without a body. */
export function noContent(status: number): Answer {
  return { status, contentType: 'text/plain', body: undefined }
}
