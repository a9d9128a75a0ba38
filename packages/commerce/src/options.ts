import * as z from 'zod/mini'
import * as core from 'zod/v4/core'

/** What is wrong with one option. */
export interface OptionProblem {
  /** Path of the option, such as `service.baseUrl` or `upstream[0].accessToken`; empty for the options as a whole. */
  readonly option: string
  /** Continues the name to a sentence, without a period: `must be a number`. It contains no value. */
  readonly problem: string
}

/** Thrown by {@link checkOptions}. The message names the caller and all unusable options, but shows no values. */
export class OptionsError extends TypeError {
  override readonly name = 'OptionsError' as const
  /** Everything that is wrong. Unknown names come first, because they often explain a missing option. */
  readonly problems: readonly OptionProblem[]

  constructor(caller: string, problems: readonly OptionProblem[]) {
    const lines = problems.map(({ option, problem }) => `${option || 'the argument'} ${problem}`)
    super(
      lines.length === 1
        ? `${caller}: ${lines.join()}`
        : `${caller}: ${lines.length} options are unusable:${lines.map((line) => `\n- ${line}`).join('')}`,
    )
    this.problems = problems
  }
}

/** Settings of {@link checkOptions}. */
export interface CheckOptionsSettings {
  /** For names that aren't options but that people try: how the sentence goes on, such as `: use accessToken`. */
  readonly hints?: Readonly<Record<string, string>> | undefined
}

/**
 * Checks the options of a public function, because plain JavaScript passes anything.
 *
 * A strict object in the schema refuses unknown names, and each is answered with the option that was probably meant: at
 * the same level, or at another one. A message of the schema continues the option's name: `must be the UUID in
 * Settings`. Without one, it follows from the schema. Never put a value into a message, because it may be a secret.
 *
 * @param caller name of the function, for the message.
 * @param given the options; `undefined` counts as none.
 * @returns the options as the schema reads them.
 * @throws {OptionsError} that names every unusable option.
 *
 * @example
 * ```ts
 * const schema = z.strictObject({ port: z.optional(z.int()), host: z.optional(z.string('must be a host name')) })
 * checkOptions('startServer', schema, { prot: 80 })
 * // OptionsError: startServer: prot is not an option (did you mean "port"?)
 * ```
 */
export function checkOptions<Schema extends core.$ZodType>(
  caller: string,
  schema: Schema,
  given: unknown,
  { hints = {} }: CheckOptionsSettings = {},
): core.output<Schema> {
  const options = given ?? {}
  const reading = core.safeParse(schema, options, { error: expectationOf })
  if (reading.success) return reading.data
  const issues = reading.error.issues.flatMap((issue) => innerIssues(issue))
  const unknown = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({
          option: pathText([...issue.path, key]),
          problem: `is not an option${Object.hasOwn(hints, key) ? hints[key] : hintFor(key, issue.path, schema)}`,
        }))
      : [],
  )
  const wrong = issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') return []
    const isMissing = issue.path.length > 0 && valueAt(options, issue.path) === undefined
    const problem = isMissing ? `is missing: it ${issue.message}` : issue.message
    return [{ option: pathText(issue.path), problem }]
  })
  throw new OptionsError(caller, [...unknown, ...wrong])
}

/** Returns the issues inside the alternative that was probably meant: the one that got furthest. */
function innerIssues(issue: core.$ZodIssue): readonly core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue]
  const inside = issue.errors.find((issues) =>
    issues.every(({ code, path }) => path.length > 0 || code === 'unrecognized_keys'),
  )
  if (inside === undefined || inside.length === 0) return [issue]
  return inside.flatMap((inner) => innerIssues({ ...inner, path: [...issue.path, ...inner.path] }))
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  tuple: 'a list',
  function: 'a function',
}

/** Returns what an option must be if its schema has no message of its own. */
function expectationOf(issue: core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeNames[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`
    case 'too_small':
      return `must ${amountOf(issue.origin)} at least ${issue.minimum}${unitOf(issue.origin)}`
    case 'too_big':
      return `must ${amountOf(issue.origin)} at most ${issue.maximum}${unitOf(issue.origin)}`
    case 'invalid_union':
      return `must be ${alternatives(issue.errors)}`
    default:
      return 'has another form than expected'
  }
}

function alternatives(errors: readonly (readonly { readonly message: string }[])[]): string {
  const rules = errors.flatMap(([first]) => first?.message.replace(/^must be /u, '') ?? [])
  return rules.length === 0 ? 'one of the documented values' : [...new Set(rules)].join(', or ')
}

function amountOf(origin: string): string {
  return unitOf(origin) === '' ? 'be' : 'have'
}

function unitOf(origin: string): string {
  if (origin === 'string') return ' characters'
  return origin === 'array' || origin === 'set' ? ' items' : ''
}

/** Writes a path as code, such as `data[3].id`; empty for the value as a whole. */
export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./u, '')
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce(
    (inner: unknown, part) => (inner == null ? undefined : Reflect.get(Object(inner), part)),
    value,
  )
}

function hintFor(name: string, path: readonly PropertyKey[], schema: core.$ZodType): string {
  const options = optionPaths(schema)
  const level = path.filter((part) => typeof part !== 'number').join('.')
  const names = options
    .filter((option) => option.slice(0, -1).join('.') === level)
    .map((it) => it.at(-1) ?? '')
  const nearest = nearestName(name, names) ?? names.find((known) => isPartOf(name, known)) ?? null
  const place = options.find((option) => option.at(-1) === name)
  if (place !== undefined) {
    const code = place.reduceRight((inner, part) => `${part}: { ${inner} }`)
    if (nearest !== null) return ` (did you mean "${nearest}", or ${code}?)`
    return place.length === 1 ? `: it belongs at the top level: { ${code} }` : `: it belongs in ${code}`
  }
  if (nearest !== null) return ` (did you mean "${nearest}"?)`
  return names.length === 0 ? '' : `: the options are ${[...new Set(names)].join(', ')}`
}

/** Returns all options that a schema allows, as paths such as `['service', 'baseUrl']`. A list has those of its items. */
function optionPaths(schema: core.$ZodType, path: readonly string[] = []): readonly (readonly string[])[] {
  if (
    schema instanceof core.$ZodOptional ||
    schema instanceof core.$ZodNullable ||
    schema instanceof core.$ZodDefault
  ) {
    return optionPaths(schema._zod.def.innerType, path)
  }
  if (schema instanceof core.$ZodPipe) return optionPaths(schema._zod.def.in, path)
  if (schema instanceof core.$ZodLazy) return optionPaths(schema._zod.innerType, path)
  if (schema instanceof core.$ZodArray) return optionPaths(schema._zod.def.element, path)
  if (schema instanceof core.$ZodUnion)
    return schema._zod.def.options.flatMap((option) => optionPaths(option, path))
  if (!(schema instanceof core.$ZodObject)) return []
  const shape: Readonly<Record<string, core.$ZodType>> = schema._zod.def.shape
  return Object.entries(shape).flatMap(([name, inner]) => [
    [...path, name],
    ...optionPaths(inner, [...path, name]),
  ])
}

/**
 * Returns the known name that a mistyped one was probably meant to be, whatever the case of its letters; `null` if none
 * is close.
 *
 * @param most how many letters may be wrong, at most half of them.
 */
export function nearestName(name: string, known: readonly string[], most = 3): string | null {
  const text = name.toLowerCase()
  const mostTypos = Math.max(1, Math.min(most, Math.floor(text.length / 2)))
  const gap = (candidate: string): number => Math.abs(candidate.length - name.length)
  const [nearest] = known
    .map((candidate) => ({ candidate, typos: editDistance(text, candidate.toLowerCase()) }))
    .filter(({ typos }) => typos <= mostTypos)
    .sort((one, other) => one.typos - other.typos || gap(one.candidate) - gap(other.candidate))
  return nearest?.candidate ?? null
}

/** Whether one name is a part of the other, such as `trial` of `trialDays`. */
function isPartOf(name: string, known: string): boolean {
  const [one, other] = [name.toLowerCase(), known.toLowerCase()]
  return name.length > 2 && (one.includes(other) || other.includes(one))
}

/** Levenshtein distance: how many letters must be inserted, removed or replaced. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= other.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? 0
}

/**
 * Schema of a base URL. It removes slashes at the end.
 *
 * The messages don't contain the URL, because it may include a password.
 */
export const baseUrlOption: z.ZodMiniType<string, string | URL> = z.pipe(
  z.union([z.string(), z.instanceof(URL)], 'must be a URL, such as https://licensing.example.com/v1'),
  z.transform((given, context) => {
    const url = parseUrl(String(given))
    const problem = baseUrlProblem(String(given), url)
    if (problem !== null) context.issues.push({ code: 'custom', message: problem, input: given })
    return `${url?.origin}${url?.pathname.replace(/\/+$/u, '')}`
  }),
)

function baseUrlProblem(text: string, url: URL | null): string | null {
  if (text === '') return 'is empty: check where you read it from'
  if (url === null) return 'is not a URL such as https://licensing.example.com/v1'
  if (!/^https?:$/u.test(url.protocol)) return 'must start with https:// or http://'
  if (`${url.username}${url.password}` !== '') return 'must not contain a user name or password'
  return /[?#]/u.test(text) ? 'must not contain a query or a fragment' : null
}

/** Schema of a secret that is sent in a header, such as an access token. The messages don't contain it. */
export const secretOption: z.ZodMiniType<string> = z.string('must be text').check(
  z.refine((text) => text !== '', {
    error: 'is empty: omit it, or check where you read it from',
    abort: true,
  }),
  z.refine((text) => !/[\r\n]/u.test(text), {
    error: 'contains a line break: trim the text you read it from',
    abort: true,
  }),
  z.regex(
    /^[\x21-\x7e]+$/u,
    'contains a space or another character that no HTTP header can carry; omit the word Bearer',
  ),
)

/** Refuses an `accessToken` that would be sent over plain http to another machine, unless `allowInsecure` is set. */
export const tokenStaysPrivate: core.$ZodCheck<{
  baseUrl: string
  accessToken?: string | undefined
  allowInsecure?: boolean | undefined
}> = z.refine(
  ({ baseUrl, accessToken, allowInsecure }) =>
    accessToken === undefined || allowInsecure === true || !isExposed(baseUrl),
  {
    error:
      'must not be sent over http:// to another machine, where anyone on the network path can read it: use https://, or set allowInsecure',
    path: ['accessToken'],
  },
)

/** Whether a base URL is plain http to another machine, where anyone on the network path can read what is sent. */
export function isExposed(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl)
  return protocol === 'http:' && !/^(?:(?:.*\.)?localhost|\[::1\]|127\.\d+\.\d+\.\d+)$/u.test(hostname)
}

function parseUrl(text: string): URL | null {
  // URL.canParse is newer than the oldest supported Electron.
  try {
    return new URL(text)
  } catch {
    return null
  }
}
