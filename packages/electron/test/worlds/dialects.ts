import * as fc from 'fast-check'
import {
  type Dialect,
  json,
  plainDialect,
  refusal,
  type WireAnswer,
  type WireObject,
  withDate,
} from './dialect.ts'

/** The meaning of such an answer: the license is valid, or the answer is unreadable and changes nothing. */
export type Reading = 'valid' | 'unreadable' | 'either'

type Change = (object: WireObject) => WireObject
const set =
  (field: string, value: unknown): Change =>
  (object) => ({ ...object, [field]: value })
const drop =
  (field: string): Change =>
  ({ [field]: _dropped, ...rest }) =>
    rest
const map =
  (field: string, change: (value: string) => unknown): Change =>
  (object) => {
    const value = object[field]
    return typeof value === 'string' ? { ...object, [field]: change(value) } : object
  }
const same: Change = (object) => object

/** Every value that a field may have if no decision needs it. */
function anything(field: string): Record<string, Change> {
  return {
    [`${field} absent`]: drop(field),
    [`${field} null`]: set(field, null),
    [`${field} a string`]: set(field, 'unlimited'),
    [`${field} empty`]: set(field, ''),
    [`${field} huge`]: set(field, Number.MAX_VALUE),
    [`${field} beyond exact numbers`]: set(field, 2 ** 63),
    [`${field} negative`]: set(field, -1),
    [`${field} a fraction`]: set(field, 2.5),
    [`${field} a list`]: set(field, []),
    [`${field} an object`]: set(field, { value: 3 }),
    [`${field} a boolean`]: set(field, false),
  }
}

type Table = Readonly<Record<string, readonly [change: Change, reads: Reading]>>
const all = (changes: Record<string, Change>, reads: Reading): Table =>
  Object.fromEntries(Object.entries(changes).map(([name, change]) => [name, [change, reads]]))

const days = (text: string): string => text.slice(0, 10)

/** How the license object may differ. */
export const licenseChanges: Table = {
  plain: [same, 'valid'],
  ...all(anything('activation_limit'), 'valid'),
  ...all(anything('activation_usage'), 'valid'),
  ...all(anything('activation_usage_formatted'), 'valid'),
  ...all(anything('created_at'), 'valid'),
  ...all(anything('updated_at'), 'valid'),
  'expires_at absent': [drop('expires_at'), 'valid'],
  'expires_at null': [set('expires_at', null), 'valid'],
  'expires_at a bare day': [map('expires_at', days), 'valid'],
  'expires_at with a space': [map('expires_at', (text) => text.replace('T', ' ')), 'valid'],
  'expires_at without Z': [map('expires_at', (text) => text.slice(0, -1)), 'valid'],
  'expires_at with an offset': [map('expires_at', (text) => text.replace('Z', '+00:00')), 'valid'],
  'expires_at in milliseconds': [map('expires_at', (text) => text.replace('000Z', 'Z')), 'valid'],
  'expires_at in seconds': [map('expires_at', (text) => text.replace(/\.\d+Z/u, 'Z')), 'valid'],
  'expires_at in nanoseconds': [map('expires_at', (text) => text.replace('Z', '000Z')), 'valid'],
  'expires_at far away': [set('expires_at', '9999-12-31T23:59:59.999999Z'), 'valid'],
  'expires_at the zero date': [set('expires_at', '0000-00-00 00:00:00'), 'unreadable'],
  'expires_at a day that does not exist': [set('expires_at', '2031-02-30T00:00:00.000000Z'), 'unreadable'],
  'expires_at a word': [set('expires_at', 'never'), 'unreadable'],
  'expires_at empty': [set('expires_at', ''), 'either'],
  'expires_at a number': [set('expires_at', 1_956_528_000), 'either'],
  'expires_at an object': [set('expires_at', { date: '2031-01-01' }), 'unreadable'],
  'suspended_at absent': [drop('suspended_at'), 'valid'],
  'suspended_at false': [set('suspended_at', false), 'either'],
  'suspended_at empty': [set('suspended_at', ''), 'either'],
  'status absent': [drop('status'), 'unreadable'],
  'status null': [set('status', null), 'unreadable'],
  'status a number': [set('status', 1), 'unreadable'],
  'id in upper case': [map('id', (id) => id.toUpperCase()), 'valid'],
  'id of another license': [set('id', '11111111-2222-4333-8444-555555555555'), 'unreadable'],
  'id absent': [drop('id'), 'unreadable'],
  'id a number': [set('id', 17), 'unreadable'],
  'fields nobody knows': [(license) => ({ ...license, plan: 'pro', seats: [1, 2], _links: null }), 'valid'],
}

/** How a key may differ wherever it is shown. */
export const keyChanges: Table = {
  plain: [same, 'valid'],
  ...all(anything('updated_at'), 'valid'),
  ...all(anything('created_at'), 'valid'),
  'id in upper case': [map('id', (id) => id.toUpperCase()), 'valid'],
  'name in upper case': [map('name', (name) => name.toUpperCase()), 'valid'],
  'fields nobody knows': [(key) => ({ ...key, ip: '127.0.0.1', license: null }), 'valid'],
}

/** How a name may change when it is stored. */
export const storedNames: Readonly<Record<string, (name: string) => string>> = {
  plain: (name) => name,
  'cut to 64': (name) => name.slice(0, 64),
  'cut to 50': (name) => name.slice(0, 50),
  'cut to 32': (name) => name.slice(0, 32),
  'in upper case': (name) => name.toUpperCase(),
  'in lower case': (name) => name.toLowerCase(),
  'with every word capitalized': (name) => name.replace(/\b\w/gu, (letter) => letter.toUpperCase()),
  'with a number in front': (name) => `#1 ${name}`,
  'with something behind': (name) => `${name} (1)`,
  'with white space folded': (name) => ` ${name.replace(/\s+/gu, '  ')} `,
  'without what is not ASCII': (name) => name.replace(/[^\x20-\x7e]/gu, ''),
  'escaped for HTML': (name) => name.replace(/’/gu, '&rsquo;').replace(/'/gu, '&#039;'),
}

/** Invalid items that a list may contain. */
const junk: readonly unknown[] = [
  null,
  7,
  'key',
  [],
  {},
  { id: null, name: 'No id' },
  { id: '22222222-2222-4333-8444-555555555555', name: null },
  { id: '33333333-2222-4333-8444-555555555555' },
]

type ListAnswer = Dialect['listAnswer']

function paged(perPage: number, nextUrl: (page: number, url: URL) => string | null): ListAnswer {
  return (keys, url) => {
    const page = Number(url.searchParams.get('page') ?? '1')
    const lastPage = Math.max(1, Math.ceil(keys.length / perPage))
    const from = (page - 1) * perPage
    const hasNext = page < lastPage
    const link = (number: number): string => `${url.origin}${url.pathname}?page=${number}`
    const body = {
      data: keys.slice(from, from + perPage),
      links: {
        first: link(1),
        last: link(lastPage),
        prev: page > 1 ? link(page - 1) : null,
        next: hasNext ? nextUrl(page + 1, url) : null,
      },
      meta: {
        current_page: page,
        from: from + 1,
        to: Math.min(from + perPage, keys.length),
        last_page: lastPage,
        per_page: perPage,
        total: keys.length,
        path: `${url.origin}${url.pathname}`,
        links: [],
      },
    }
    return json(200, body)
  }
}

/** How a list may be formatted. */
export const lists: Readonly<Record<string, ListAnswer>> = {
  plain: plainDialect.listAnswer,
  'newest first': (keys, url) => plainDialect.listAnswer([...keys].reverse(), url),
  'with junk in it': (keys) => json(200, { data: [...junk, ...keys, ...junk] }),
  'one a page': paged(1, (page, url) => `${url.origin}${url.pathname}?page=${page}`),
  'two a page, links to http': paged(2, (page, url) => `http://${url.host}${url.pathname}?page=${page}`),
  'one a page, links to another host': paged(
    1,
    (page, url) => `https://origin.internal:8443${url.pathname}?page=${page}`,
  ),
  'one a page, links without a host': paged(1, (page, url) => `${url.pathname}?page=${page}`),
  'one a page, links with a query alone': paged(1, (page) => `?page=${page}`),
  'a page with null links': (keys) => json(200, { data: keys, links: null, meta: null }),
  'a page with empty meta': (keys) => json(200, { data: keys, links: {}, meta: {} }),
}

/** How JSON may be encoded. */
export const encodings: Readonly<Record<string, (answer: WireAnswer) => WireAnswer>> = {
  plain: (answer) => answer,
  'called text': (answer) => ({ ...answer, headers: { ...answer.headers, 'content-type': 'text/html' } }),
  'called nothing': ({ headers: { 'content-type': _type, ...headers }, ...answer }) => ({
    ...answer,
    headers,
  }),
  'with a charset': (answer) => ({
    ...answer,
    headers: { ...answer.headers, 'content-type': 'application/vnd.api+json; charset=utf-8' },
  }),
  'with white space': (answer) => ({ ...answer, body: answer.body === null ? null : `\n ${answer.body}\n` }),
}

/** How a key may be deactivated. */
export const deactivations: Readonly<Record<string, WireAnswer>> = {
  plain: plainDialect.deactivateAnswer,
  'with 204': { status: 204, headers: {}, body: null },
  'with 200 and nothing': { status: 200, headers: {}, body: null },
  'with 202': json(202, { message: 'The license key was deactivated successfully.' }),
  'with another message': json(200, { message: { text: 'ok' } }),
  'with an empty object': json(200, {}),
  'with the words alone': { status: 200, headers: { 'content-type': 'text/plain' }, body: 'OK' },
}

/** How anything may be refused. */
export const refusals: Readonly<Record<string, WireAnswer>> = {
  plain: refusal(404),
  ...Object.fromEntries(
    [400, 402, 403, 404, 405, 409, 410, 412, 418, 422, 429, 500].map((status) => [
      `${status} in JSON`,
      refusal(status),
    ]),
  ),
  ...Object.fromEntries(
    [400, 403, 404, 410, 422].flatMap((status) => [
      [`${status} as a page`, { status, headers: { 'content-type': 'text/html' }, body: '<h1>Error</h1>' }],
      [`${status} with nothing`, { status, headers: {}, body: null }],
    ]),
  ),
  '200 with an error': json(200, { error: { code: 'refused' } }),
  '200 with a message': json(200, { message: 'The license key is not valid.' }),
}

/** A dialect as a list of deviations. Everything else is as documented. */
export interface DialectName {
  readonly license: string
  readonly activateKey: string
  readonly listKey: string
  readonly storedName: string
  readonly list: string
  readonly encoding: string
  readonly deactivate: string
  readonly refuseValidate: string
  readonly refuseShow: string
  readonly refuseDeactivate: string
  readonly refuseActivate: string
  readonly activateStatus: number
  readonly date: boolean
}

export const plainName: DialectName = {
  license: 'plain',
  activateKey: 'plain',
  listKey: 'plain',
  storedName: 'plain',
  list: 'plain',
  encoding: 'plain',
  deactivate: 'plain',
  refuseValidate: 'plain',
  refuseShow: 'plain',
  refuseDeactivate: 'plain',
  refuseActivate: 'plain',
  activateStatus: 201,
  date: true,
}

const at = <Value>(table: Readonly<Record<string, Value>>, name: string): Value => {
  const value = table[name]
  if (value === undefined) throw new Error(`No entry called ${name}`)
  return value
}

/** The dialect with these deviations. */
export function dialectOf(name: DialectName): Dialect {
  const dress = at(encodings, name.encoding)
  const list = at(lists, name.list)
  const inList = at(keyChanges, name.listKey)[0]
  const inAnswers = at(keyChanges, name.activateKey)[0]
  return {
    activateStatus: name.activateStatus,
    validateStatus: 200,
    showStatus: 200,
    deactivateAnswer: at(deactivations, name.deactivate),
    refusals: {
      unknownLicense: at(refusals, name.refuseShow),
      fullLicense: at(refusals, name.refuseActivate),
      unusableLicense: at(refusals, name.refuseActivate),
      goneKeyShown: at(refusals, name.refuseShow),
      goneKeyValidated: at(refusals, name.refuseValidate),
      goneKeyDeactivated: at(refusals, name.refuseDeactivate),
      badRequest: refusal(422),
    },
    storedName: at(storedNames, name.storedName),
    license: at(licenseChanges, name.license)[0],
    key: (key, place) => (place === 'list' ? inList(key) : inAnswers(key)),
    listAnswer: (keys, url) => dress(list(keys, url)),
    encode: (status, body) => dress(json(status, body)),
    dated: (answer, nowMs) => (name.date ? withDate(answer, nowMs) : answer),
  }
}

/** The meaning of answers in this dialect. */
export function readingOf(name: DialectName): Reading {
  const readings = [at(licenseChanges, name.license)[1], at(keyChanges, name.activateKey)[1]]
  return readings.includes('unreadable') ? 'unreadable' : readings.includes('either') ? 'either' : 'valid'
}

const from = (table: Readonly<Record<string, unknown>>): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constant('plain') },
    { weight: 3, arbitrary: fc.constantFrom(...Object.keys(table)) },
  )

/** Any dialect. */
export const dialectNames: fc.Arbitrary<DialectName> = fc.record({
  license: from(licenseChanges),
  activateKey: from(keyChanges),
  listKey: from(keyChanges),
  storedName: from(storedNames),
  list: from(lists),
  encoding: from(encodings),
  deactivate: from(deactivations),
  refuseValidate: from(refusals),
  refuseShow: from(refusals),
  refuseDeactivate: from(refusals),
  refuseActivate: from(refusals),
  activateStatus: fc.constantFrom(201, 200, 202),
  date: fc.boolean(),
})

/** Every dialect with a single deviation. */
export const singleDialects: readonly (readonly [name: string, dialect: DialectName])[] = (
  [
    ['license', licenseChanges],
    ['activateKey', keyChanges],
    ['listKey', keyChanges],
    ['storedName', storedNames],
    ['list', lists],
    ['encoding', encodings],
    ['deactivate', deactivations],
    ['refuseValidate', refusals],
    ['refuseShow', refusals],
    ['refuseDeactivate', refusals],
    ['refuseActivate', refusals],
  ] as const
).flatMap(([place, table]) =>
  Object.keys(table).map((word): readonly [string, DialectName] => [
    `${place}: ${word}`,
    { ...plainName, [place]: word },
  ]),
)
