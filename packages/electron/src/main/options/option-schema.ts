import * as v from 'valibot'
import { didYouMean } from './nearest-name.ts'

/** Checks one option. */
export type OptionSchema<Value> = OptionsSchema<Value> | v.GenericSchema<unknown, Value>

/** A checked option, or what is wrong with it. */
export type OptionReading<Value> =
  | { readonly success: true; readonly data: Value }
  | { readonly success: false; readonly error: { readonly issues: readonly OptionIssue[] } }

/** What is wrong with an option. */
export interface OptionIssue {
  readonly code?: string | undefined
  readonly path: readonly PropertyKey[]
  /** What the option must be. */
  readonly message: string
  /** Names that are no options. */
  readonly keys?: readonly string[] | undefined
}

/** One option of an object. Its schema is created when the option is set. */
export interface OptionField<Value> {
  readonly isRequired: boolean
  readonly schema: () => OptionSchema<Value>
}

/** An object of options. */
export interface OptionsSchema<Values> {
  readonly fields: Readonly<Record<string, OptionField<unknown>>>
  safeParse(given: unknown): OptionReading<Values>
}

export function required<Value>(schema: () => OptionSchema<Value>): OptionField<Value> {
  return { isRequired: true, schema }
}

export function optional<Value>(schema: () => OptionSchema<Value>): OptionField<Value | undefined> {
  return { isRequired: false, schema }
}

/**
 * Creates a schema for an object that has no other options than these. Unlike valibot's `strictObject`, it creates no
 * schema for an option that isn't set: an app sets a few of forty, and would wait for all of them at every launch.
 *
 * @param hint what the object must be.
 */
export function optionsOf<Values extends object>(
  fields: { readonly [Name in keyof Values]-?: OptionField<Values[Name]> },
  hint: string,
): OptionsSchema<Values> {
  return {
    fields,
    safeParse(given) {
      if (typeof given !== 'object' || given === null || Array.isArray(given) || given instanceof URL)
        return refused([{ path: [], message: hint }])
      const values: Partial<Values> = {}
      const issues: OptionIssue[] = []

      function read<Name extends keyof Values>(name: Name): void {
        const { isRequired, schema } = fields[name]
        const value: unknown = Reflect.get(Object(given), name)
        if (value === undefined && !isRequired) return
        const reading = readOption(schema(), value)
        if (reading.success) values[name] = reading.data
        else issues.push(...reading.error.issues.map((issue) => ({ ...issue, path: [name, ...issue.path] })))
      }

      /** Whether every required option was read. */
      function isComplete(_values: Partial<Values>): _values is Values {
        return issues.length === 0
      }

      for (const name in fields) read(name)
      const keys: string[] = []
      for (const key in given) if (!Object.hasOwn(fields, key)) keys.push(key)
      if (keys.length > 0) issues.push({ code: 'unrecognized_keys', path: [], message: hint, keys })
      return isComplete(values) ? { success: true, data: values } : refused(issues)
    },
  }
}

function readOption<Value>(schema: OptionSchema<Value>, value: unknown): OptionReading<Value> {
  if (isOptionsSchema(schema)) return schema.safeParse(value)
  const parsed = v.safeParse(schema, value)
  if (parsed.success) return { success: true, data: parsed.output }
  return refused(
    parsed.issues.map(({ path = [], message }) => ({ path: path.map(({ key }) => String(key)), message })),
  )
}

function refused(issues: readonly OptionIssue[]): OptionReading<never> {
  return { success: false, error: { issues } }
}

/** What {@link describeIssues} knows besides the issues. */
interface IssueContext {
  /** The function that got the options. @default 'createLicensing' */
  readonly caller?: string | undefined
  /** For some options that hold others, where else a name may belong; `''` is the top level. */
  readonly elsewhere?: Readonly<Record<string, string>> | undefined
  /** An option whose names were probably meant for another object, so that no other option is suggested for them. */
  readonly foreign?: string | undefined
}

/**
 * Returns a sentence about what is wrong.
 *
 * @param schema the options that were read.
 */
export function describeIssues(
  issues: readonly OptionIssue[],
  schema: OptionSchema<unknown>,
  { caller = 'createLicensing', elsewhere = {}, foreign }: IssueContext = {},
): string {
  // A mistyped name is often also a missing option, so it explains the others.
  const issue = issues.find(({ keys }) => keys !== undefined) ?? issues[0]
  if (issue === undefined) return 'options are invalid'
  const where = issue.path.map(String).join('.')
  if (issue.keys !== undefined) {
    const [key = ''] = issue.keys
    const right = rightPlace(key, schema)
    const name = where === '' ? key : `${where}.${key}`
    if (right !== null && (where !== foreign || right.length === 1)) {
      return `${name} is not an option of ${caller}: it belongs ${describePlace(right, caller)}`
    }
    const known = optionsAt(issue.path, schema)
    const isShort = where !== '' || known.length <= mostListed
    const names = isShort ? `${where || caller} has ${known.join(', ')}` : 'check its spelling'
    const rest = didYouMean(key, known) || `: ${names}${elsewhere[where] ?? ''}`
    return `${name} is not an option of ${caller}${rest}`
  }
  return `${where === '' ? 'the argument' : where} ${issue.message}`
}

/** How many options at the top level a message lists. */
const mostListed = 10

/** Names that a developer may also have meant for another option, such as `appId` or `baseUrl`. */
const ambiguous = ['id', 'url']

/** Returns the path of an option that was set at another level, such as `['service', 'timeout']`. */
function rightPlace(key: string, schema: OptionSchema<unknown>): readonly string[] | null {
  if (!isOptionsSchema(schema) || ambiguous.includes(key)) return null
  if (Object.hasOwn(schema.fields, key)) return [key]
  for (const [name, field] of Object.entries(schema.fields)) {
    const found = rightPlace(key, field.schema())
    if (found !== null) return [name, ...found]
  }
  return null
}

function describePlace(path: readonly string[], caller: string): string {
  const place = path.reduceRight((inner, name) => `${name}: { ${inner} }`)
  return path.length === 1 ? `at the top level: ${caller}({ ${place} })` : `in ${place}`
}

/** Names of the options that an object may have. */
function optionsAt(
  [first, ...rest]: readonly PropertyKey[],
  schema: OptionSchema<unknown>,
): readonly string[] {
  if (!isOptionsSchema(schema)) return []
  if (first === undefined) return Object.keys(schema.fields)
  const inner = schema.fields[String(first)]
  return inner === undefined ? [] : optionsAt(rest, inner.schema())
}

function isOptionsSchema<Value>(schema: OptionSchema<Value>): schema is OptionsSchema<Value> {
  return 'fields' in schema
}
