/** An answer as it is sent. `body` is `null` for none. */
export interface WireAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** A JSON object as it is sent. */
export type WireObject = Record<string, unknown>

/** One choice for everything that the interface leaves open. */
export interface Dialect {
  readonly activateStatus: number
  readonly validateStatus: number
  readonly showStatus: number
  readonly deactivateAnswer: WireAnswer
  readonly refusals: Readonly<
    Record<
      | 'unknownLicense'
      | 'fullLicense'
      | 'unusableLicense'
      | 'goneKeyShown'
      | 'goneKeyValidated'
      | 'goneKeyDeactivated'
      | 'badRequest',
      WireAnswer
    >
  >
  /** How it treats keys that it has deactivated, if it keeps listing them. @default it forgets them */
  readonly goneKeys?: { readonly isShown: boolean; readonly isConfirmedAgain: boolean }
  /** How the name of a new key changes. */
  storedName(name: string): string
  license(license: WireObject): WireObject
  key(key: WireObject, place: 'list' | 'show' | 'activate' | 'validate'): WireObject
  listAnswer(keys: readonly WireObject[], url: URL): WireAnswer
  encode(status: number, body: unknown): WireAnswer
  /** Adds the service's time, or doesn't. */
  dated(answer: WireAnswer, nowMs: number): WireAnswer
}

/** An answer in JSON. */
export function json(status: number, body: unknown): WireAnswer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

/** An error in JSON, as in many frameworks. */
export const refusal = (status: number): WireAnswer => json(status, { message: 'The request was refused.' })

export const withDate = (answer: WireAnswer, nowMs: number): WireAnswer => ({
  ...answer,
  headers: { ...answer.headers, date: new Date(nowMs).toUTCString() },
})

/** The interface as documented. */
export const plainDialect: Dialect = {
  activateStatus: 201,
  validateStatus: 200,
  showStatus: 200,
  deactivateAnswer: json(200, { message: 'The license key was deactivated successfully.' }),
  refusals: {
    unknownLicense: refusal(404),
    fullLicense: refusal(422),
    unusableLicense: refusal(422),
    goneKeyShown: refusal(404),
    goneKeyValidated: refusal(404),
    goneKeyDeactivated: refusal(404),
    badRequest: refusal(422),
  },
  storedName: (name) => name,
  license: (license) => license,
  key: (key) => key,
  listAnswer: (keys) => json(200, { data: keys }),
  encode: json,
  dated: withDate,
}

/** An answer as a `Response` of `fetch`. */
export function responseOf({ status, headers, body }: WireAnswer): Response {
  const isBodiless = status === 204 || status === 304
  return new Response(isBodiless ? null : body, { status, headers })
}
