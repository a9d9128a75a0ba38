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
      if (typeof given !== 'object' || given === null || Array.isArray(given))
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

/**
 * Returns a sentence about what is wrong.
 *
 * @param schema the options that were read.
 * @param prefix the option that holds them.
 * @param elsewhere for some options that hold others, where else a name may belong; `''` is the top level.
 */
export function describeIssues(
  issues: readonly OptionIssue[],
  schema: OptionSchema<unknown>,
  { prefix, elsewhere = {} }: { readonly prefix?: string; readonly elsewhere?: Record<string, string> } = {},
): string {
  // A mistyped name is often also a missing option, so it explains the others.
  const issue = issues.find(({ keys }) => keys !== undefined) ?? issues[0]
  if (issue === undefined) return 'options are invalid'
  const where = [...(prefix === undefined ? [] : [prefix]), ...issue.path].map(String).join('.')
  if (issue.keys !== undefined) {
    const [key = ''] = issue.keys
    const right = rightPlace(key, schema, prefix === undefined ? [] : [prefix])
    const name = where === '' ? key : `${where}.${key}`
    if (right !== null) return `${name} is not an option of createLicensing: it belongs ${right}`
    const known = optionsAt(issue.path, schema)
    const names = where === '' ? 'check its spelling' : `${where} has ${known.join(', ')}`
    const rest = didYouMean(key, known) || `: ${names}${elsewhere[where] ?? ''}`
    return `${name} is not an option of createLicensing${rest}`
  }
  return `${where === '' ? 'the argument' : where} ${issue.message}`
}

/** Names that a developer may also have meant for another option, such as `appId` or `baseUrl`. */
const ambiguous = ['id', 'url']

/** Returns where an option belongs that was set at another level, such as `in service: { timeout }`. */
function rightPlace(key: string, schema: OptionSchema<unknown>, path: readonly string[]): string | null {
  if (!isOptionsSchema(schema) || ambiguous.includes(key)) return null
  if (Object.hasOwn(schema.fields, key)) {
    const place = path.reduceRight((inner, name) => `${name}: { ${inner} }`, key)
    return path.length === 0 ? `at the top level: createLicensing({ ${key} })` : `in ${place}`
  }
  for (const [name, field] of Object.entries(schema.fields)) {
    const found = rightPlace(key, field.schema(), [...path, name])
    if (found !== null) return found
  }
  return null
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
