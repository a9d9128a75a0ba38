import { type WireAnswer, withDate } from './dialect.ts'

/** A broken proxy that answers every request the same way, without asking the service. */
export interface Box extends WireAnswer {
  /** Its answer to other methods than GET, if it differs. */
  readonly toOthers?: WireAnswer
  /** How far its clock is ahead. @default 0 */
  readonly clockErrorMs?: number
}

/** Every status that a proxy, router, captive portal or cache is known to send. */
export const boxStatuses: readonly number[] = [
  200, 201, 202, 204, 301, 302, 304, 400, 401, 403, 404, 407, 408, 409, 410, 421, 422, 425, 429, 451, 500,
  502, 503, 504, 511,
]

const id = '11111111-2222-4333-8444-555555555555'
const at = '2026-01-01T00:00:00.000000Z'
const license = {
  id,
  activation_limit: 5,
  expires_at: null,
  suspended_at: null,
  status: 'ACTIVE',
  activation_usage: 1,
  activation_usage_formatted: '1/5',
  created_at: at,
  updated_at: at,
}
const key = {
  id: '99999999-2222-4333-8444-555555555555',
  name: 'Somebody else',
  created_at: at,
  updated_at: at,
}

/** Bodies by name. The worst ones look like several answers at once. */
export const boxBodies: Readonly<Record<string, { readonly type: string; readonly text: string | null }>> = {
  'an error in JSON': json({ message: 'no Route matched with those values' }),
  'a page': { type: 'text/html', text: '<!doctype html><title>Sign in</title><p>Welcome to the airport.' },
  'a line of text': { type: 'text/plain', text: 'default backend' },
  'nothing at all': { type: 'text/plain', text: null },
  'an empty JSON body': { type: 'application/json', text: '' },
  'an empty object': json({}),
  null: json(null),
  'an empty list': json({ data: [] }),
  'a bare empty list': json([]),
  'a page of an empty list': json({
    data: [],
    links: {
      first: 'http://box.example/?page=1',
      last: 'http://box.example/?page=1',
      prev: null,
      next: null,
    },
    meta: {
      current_page: 1,
      from: null,
      to: null,
      last_page: 1,
      per_page: 25,
      total: 0,
      path: '',
      links: [],
    },
  }),
  "somebody else's device": json({ data: [key] }),
  "somebody else's device alone": json({ data: key }),
  "somebody else's license": json({ license, key }),
  "somebody else's suspended license": json({
    license: { ...license, suspended_at: at, status: 'SUSPENDED' },
    key,
  }),
  'a success message': json({ message: 'OK' }),
  'everything at once': json({ message: 'OK', data: [], license, key }),
  "everything about somebody else's suspended license": json({
    message: 'OK',
    data: [key],
    license: { ...license, suspended_at: at, status: 'SUSPENDED' },
    key,
  }),
}

function json(body: unknown): { readonly type: string; readonly text: string } {
  return { type: 'application/json', text: JSON.stringify(body) }
}

/** Proxies that serve only files or a mocked list. */
const readOnlyBoxes = ['an empty list', 'a page of an empty list', "somebody else's device"].flatMap((name) =>
  [404, 403, 405, 422, 502].map((status): readonly [string, Box] => [
    `${name} to be read, ${status} to the rest`,
    { ...answer(200, name), toOthers: answer(status, 'an error in JSON') },
  ]),
)

/** Every broken proxy, by name. */
export const boxes: readonly (readonly [name: string, box: Box])[] = [
  ...boxStatuses.flatMap((status) =>
    Object.keys(boxBodies).map((name): readonly [string, Box] => [`${status} ${name}`, answer(status, name)]),
  ),
  ...readOnlyBoxes,
]

function answer(status: number, name: string): WireAnswer {
  const { type = 'text/plain', text = null } = boxBodies[name] ?? {}
  return { status, headers: { 'content-type': type, ...location(status) }, body: text }
}

function location(status: number): Readonly<Record<string, string>> {
  return status === 301 || status === 302 ? { location: 'http://login.example/' } : {}
}

/** The proxy's answer now. */
export const answerOf = (box: Box, method: string, nowMs: number): WireAnswer =>
  withDate(method === 'GET' ? box : (box.toOthers ?? box), nowMs + (box.clockErrorMs ?? 0))
