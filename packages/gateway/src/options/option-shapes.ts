import * as z from 'zod/mini'
import { isSigningKey } from '../leases/signing-keys.ts'
import { nearestOption } from './nearest-option.ts'

/** What each option of an object must be. Options that may be missing are optional. */
export type Shape = Readonly<Record<string, z.ZodMiniType>>

/** What is wrong with the form of options. */
export interface ShapeProblems {
  /** One sentence per problem. It never contains a value. */
  readonly problems: readonly string[]
  /** The names of the options that can't be read. */
  readonly unreadable: ReadonlySet<string>
}

/** Creates a schema for a value that passes a test. @param rule continues the sentence "The option must be". */
function being(rule: string, holds: (value: unknown) => boolean): z.ZodMiniType {
  return z.custom(holds, { error: rule })
}

function typed(rule: string, type: 'string' | 'number' | 'boolean' | 'function'): z.ZodMiniType {
  return being(rule, (value) => typeof value === type)
}

export const text: z.ZodMiniType = typed('a text', 'string')
export const number: z.ZodMiniType = typed('a number', 'number')
export const trueOrFalse: z.ZodMiniType = typed('true or false', 'boolean')
export const aFunction: z.ZodMiniType = typed('a function', 'function')

const signingShape: Shape = {
  keys: being(
    'a list of signing keys: pass the result of parseSigningKeys',
    (keys) => Array.isArray(keys) && keys.every(isSigningKey),
  ),
  leaseDays: z.optional(number),
  renewalGraceDays: z.optional(number),
}

const offlineShape: Shape = { days: number }

const limit = being(
  'false, or a rate limiter such as createInProcessRateLimiter({ max, windowMs })',
  (value) => value === false || has(value, 'take'),
)

const limitsShape: Shape = { perLicense: z.optional(limit), perAddress: z.optional(limit) }

/** The options that are objects with options of their own. */
const nestedShapes = { signing: signingShape, offline: offlineShape, limits: limitsShape }

const upstreamRule = '{ baseUrl, accessToken }, or an adapter such as polar({ organizationId, accessToken })'

/** The options of the commerce service. */
const commerceShape: Shape = {
  baseUrl: being(
    "the service's base URL, as a text or a URL",
    (url) => typeof url === 'string' || url instanceof URL,
  ),
  accessToken: typed("the service's access token, as a text", 'string'),
  fetch: z.optional(aFunction),
  exchange: z.optional(aFunction),
  timeoutMs: z.optional(number),
  allowInsecure: z.optional(trueOrFalse),
}

/** The options of `createGateway`. */
export const gatewayShape: Shape = {
  upstream: being(upstreamRule, isObject),
  fetch: z.optional(aFunction),
  timeoutMs: z.optional(number),
  basePath: z.optional(text),
  signing: z.optional(being('an object with keys, such as { keys: parseSigningKeys(text) }', isPlainObject)),
  offline: z.optional(being('an object with days', isPlainObject)),
  allow: z.optional(aFunction),
  plan: z.optional(aFunction),
  features: z.optional(aFunction),
  limits: z.optional(being('an object with perLicense or perAddress', isPlainObject)),
  clientAddress: z.optional(aFunction),
  log: z.optional(aFunction),
  metrics: z.optional(being('an object with the method observe', (value) => has(value, 'observe'))),
  isHealthy: z.optional(aFunction),
  clock: z.optional(aFunction),
}

/** The options that only `startGatewayServer` has. */
const serverOptions = ['port', 'host', 'trustedProxies', 'warn', 'metricsPort', 'ownsProcess'] as const

/** An option that only `startGatewayServer` has. */
export type ServerOption = (typeof serverOptions)[number]

/** Checks the names and types of options. TypeScript does so as well, but JavaScript doesn't. */
export function findShapeProblems(given: unknown, shape: Shape): ShapeProblems {
  if (!isPlainObject(given)) {
    return { problems: ['The options must be an object.'], unreadable: new Set(Object.keys(shape)) }
  }
  const problems: string[] = []
  const unreadable = new Set<string>()
  const note = ({ sentence, broken }: Problem, option = broken): void => {
    problems.push(sentence)
    if (broken !== null && option !== null) unreadable.add(option)
  }
  for (const problem of problemsOf(given, shape, '')) note(problem)
  for (const [place, upstream] of upstreamsOf(given['upstream'])) {
    const found = isPlainObject(upstream)
      ? problemsOf(upstream, commerceShape, place)
      : [{ broken: place, sentence: `${place} must be ${upstreamRule}.` }]
    for (const problem of found) note(problem, 'upstream')
  }
  for (const [option, its] of Object.entries(nestedShapes)) {
    const value = given[option]
    if (isPlainObject(value)) for (const problem of problemsOf(value, its, option)) note(problem, option)
  }
  return { problems, unreadable }
}

/** Returns what must be options of the commerce service, with its place in a message. */
function upstreamsOf(upstream: unknown): readonly (readonly [place: string, upstream: unknown])[] {
  if (!isObject(upstream)) return []
  const all = Array.isArray(upstream)
    ? upstream.map((one: unknown, index) => [`upstream[${index}]`, one] as const)
    : [['upstream', upstream] as const]
  return all.filter(([, one]) => !(isObject(one) && 'findLicenseKey' in one))
}

/** One problem of an object. `broken` is the option that can't be read; `null` for a name that is no option. */
interface Problem {
  readonly broken: string | null
  readonly sentence: string
}

function problemsOf(given: Readonly<Record<string, unknown>>, shape: Shape, place: string): Problem[] {
  const at = (name: string): string => (place === '' ? name : `${place}.${name}`)
  const { error } = z.strictObject(shape).safeParse(given)
  return (error?.issues ?? []).flatMap((issue): Problem[] => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({ broken: null, sentence: unknownOption(place, key, shape) }))
    }
    const name = String(issue.path[0])
    const isMissing = given[name] === undefined
    const sentence = `${at(name)} ${isMissing ? 'is missing. It ' : ''}must be ${issue.message}.`
    return [{ broken: name, sentence }]
  })
}

function unknownOption(place: string, name: string, shape: Shape): string {
  const shown = place === '' ? name : `${place}.${name}`
  // A limiter's options have nothing to do with these.
  const isOfGateway = place !== '' || Object.hasOwn(shape, 'upstream')
  const home = isOfGateway ? homeOf(place, name) : null
  if (home !== null) return `${shown} is not an option at this level. It belongs ${home}.`
  if (isOfGateway && serverOptions.some((option) => option === name))
    return `${shown} is not an option of createGateway, but of startGatewayServer from @latchkey/gateway/node.`
  const nearest = nearestOption(name, Object.keys(shape))
  const hint =
    nearest === null ? `The options here are ${Object.keys(shape).join(', ')}.` : `Did you mean ${nearest}?`
  return `${shown} is not an option. ${hint}`
}

/** Returns where an option of another level belongs; `null` if there is no such option. */
function homeOf(place: string, name: string): string | null {
  const homes = Object.entries({ ...nestedShapes, upstream: commerceShape })
  const home = homes.find(([, shape]) => Object.hasOwn(shape, name))?.[0]
  if (home !== undefined) return `in ${home}: { ${name} }`
  return place !== '' && Object.hasOwn(gatewayShape, name) ? `beside ${place.replace(/\[.*/u, '')}` : null
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

/** Whether a value is an object, but not a list. */
function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && !Array.isArray(value)
}

function has(value: unknown, method: string): boolean {
  return isObject(value) && typeof value[method] === 'function'
}
