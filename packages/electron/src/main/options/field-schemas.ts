import type { BrowserWindow } from 'electron'
import * as v from 'valibot'
import type { Logger } from '../../core/ports.ts'
import { parseUrl } from '../origin.ts'
import { isCssColor, nearestColorName } from './css-color.ts'
import type { LeaseKey } from './lease-key.ts'
import type { ActivationWindowOptions } from './licensing-options.ts'
import { type OptionField, type OptionsSchema, optional, optionsOf } from './option-schema.ts'

/** A text; `hint` says what it must be. */
export function text(hint: string): v.GenericSchema<unknown, string> {
  return v.string(hint)
}

/** A text of one line that is not blank. */
export function line(hint: string, maxLength = 200): v.GenericSchema<unknown, string> {
  return v.pipe(
    text(hint),
    v.check(
      (value) => value.trim() !== '' && value.length <= maxLength && !/[^ -~\u00a0-\uffff]/.test(value),
      hint,
    ),
  )
}

/** A number of at least `least`. */
export function amount(hint: string, least: number): OptionField<number | undefined> {
  return optional(() => v.pipe(v.number(hint), v.finite(hint), v.minValue(least, hint)))
}

const daysHint = 'must be a number of days, 0 to 36500'
/** A number of days. {@link daysInAnotherUnit} checks its maximum. */
export const days: OptionField<number | undefined> = amount(daysHint, 0)

/**
 * Returns what is wrong with a number of days that is probably in another unit, because it is more than a century; `null`
 * if nothing is. It still works, so it is no reason to stop an app that is shipped.
 */
export function daysInAnotherUnit(options: object): string | null {
  const wrong = Object.entries(options).find(([name, value]) => name.endsWith('Days') && value > 36_500)
  return wrong === undefined ? null : `${wrong[0]} ${daysHint}`
}

const loggerHint = 'must have the functions debug, info, warn and error, as console does'
export function logger(): v.GenericSchema<unknown, Logger> {
  return v.custom<Logger>(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      ['debug', 'info', 'warn', 'error'].every((level) => typeof Reflect.get(value, level) === 'function'),
    loggerHint,
  )
}

const leaseKeysHint =
  'must be the public part that `latchkey-gateway keys generate` prints: { keys: [{ kty: "OKP", crv: "Ed25519", x: … }] }'
const privateKeyHint =
  'is a private key: anyone who has the app could sign leases with it. Pass only the public part. If you ever shipped this key, give the gateway a new one'
/** The public keys that sign leases. */
export function leaseKeys(): v.GenericSchema<unknown, { keys: LeaseKey[] }> {
  const keySchema = v.object(
    {
      kty: v.literal('OKP', leaseKeysHint),
      crv: v.literal('Ed25519', leaseKeysHint),
      x: v.pipe(text(leaseKeysHint), v.regex(/^[\w-]{43}$/u, leaseKeysHint)),
      d: v.optional(v.undefined(privateKeyHint)),
    },
    leaseKeysHint,
  )
  return v.object(
    { keys: v.pipe(v.array(keySchema, leaseKeysHint), v.minLength(1, leaseKeysHint)) },
    leaseKeysHint,
  )
}

/** An object whose values are text. */
function texts(
  hint: string,
  ofValue: (value: unknown) => string = () => 'must be text',
): v.GenericSchema<unknown, Record<string, string>> {
  // valibot would read an array by its indexes, and a `Headers` as empty. An imported module has its exports.
  const isObject = (value: unknown): boolean =>
    /^\[object (?:Object|Module)\]$/u.test(Object.prototype.toString.call(value))
  return v.pipe(
    v.custom<object>(isObject, hint),
    v.record(
      v.string(),
      v.string(({ input }) => ofValue(input)),
      hint,
    ),
  )
}

const ownHeaders = ['authorization', 'content-type', 'accept']
export function headers(): v.GenericSchema<unknown, Record<string, string>> {
  return v.pipe(
    texts('must be an object whose values are text'),
    v.check(
      (given) => !Object.keys(given).some((name) => ownHeaders.includes(name.toLowerCase())),
      'must not set authorization, content-type or accept, which Latchkey sets itself; pass a token as service.accessToken',
    ),
    // As specified by RFC 9110. `new Headers()` would also check it, but makes Node load its fetch while the app starts.
    v.check(
      (given) =>
        Object.entries(given).every(
          ([name, value]) => /^[\w!#$%&'*+.^`|~-]+$/u.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/u.test(value),
        ),
      'must contain only valid HTTP header names and values',
    ),
  )
}

function isHttpsUrl(value: string): boolean {
  const url = parseUrl(value)
  return url !== null && url.protocol === 'https:' && url.username === '' && url.password === ''
}

const linkHint = 'must be an https:// address'
const placeholderHint =
  'has a placeholder that does not exist: the only one is {expiresAt}. Write other braces as %7B and %7D'
/** The address of a web page. */
export function webAddress(): v.GenericSchema<unknown, string> {
  return v.pipe(
    text(linkHint),
    v.check(isHttpsUrl, linkHint),
    v.check((value) => !/[{}]/u.test(value.replaceAll('{expiresAt}', '')), placeholderHint),
  )
}
const link = optional(webAddress)

const localeHint = 'must be a language tag such as "de" or "pt-BR"'
const locale = () =>
  v.pipe(
    text(localeHint),
    v.check((value) => {
      try {
        return Intl.getCanonicalLocales(value).length === 1
      } catch {
        return false
      }
    }, localeHint),
  )

const accentHint = 'must be a CSS color such as "#0a7c66" or "teal"'
const accent = () =>
  v.pipe(
    text(accentHint),
    v.check(isCssColor, ({ input }) => {
      const nearest = nearestColorName(input)
      return nearest === null ? accentHint : `${accentHint} (did you mean "${nearest}"?)`
    }),
  )

const windowHint = 'must be an object'
const ownTextHint =
  'must be text. Write a nested key with a dot, such as "problems.offline". The texts are for every language, so pass those of the language in use'
const ownTexts = () =>
  texts(windowHint, (value) => (typeof value === 'object' ? ownTextHint : 'must be text'))
/** The options of an activation window. */
export const windowSchema: OptionsSchema<ActivationWindowOptions> = optionsOf(
  {
    title: optional(() => line('must be a line of text')),
    logo: optional(() => text('must be an absolute path or a data:image/… URL')),
    accent: optional(accent),
    links: optional(() =>
      optionsOf({ buy: link, renew: link, coveredVersion: link, support: link, account: link }, windowHint),
    ),
    locale: optional(locale),
    strings: optional(ownTexts),
    parent: optional(() =>
      v.custom<BrowserWindow>(
        (value) => typeof value === 'object' && value !== null && 'webContents' in value,
        'must be a BrowserWindow',
      ),
    ),
    prefilledText: optional(() => text('must be text')),
  },
  windowHint,
)
