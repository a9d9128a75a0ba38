import { unicodeClass } from '../../shared/license-key-text.ts'
import type { OfflineProblemCode } from '../../shared/offline-problem.ts'
import type { ProblemCode } from '../../shared/problem.ts'
import type { ownTextNames } from '../../shared/text-names.ts'
import { formatDay } from '../../shared/timestamp.ts'
import type { CountedKey, LoadedStrings, OfflineStrings, TextKey } from '../texts/load-strings.ts'

/** Values for a text's placeholders: `{name}` becomes the value of `name`. */
export type Values = Readonly<Record<string, string>>

/** The texts of one language, ready to show. All results are plain text, never markup. */
export interface Translator {
  /** BCP 47 locale the texts, numbers and dates are in. */
  readonly locale: string
  /** Host of the license service; empty if it isn't known. */
  readonly host: string
  /** Writing direction of the locale. */
  readonly direction: 'ltr' | 'rtl'
  text(key: TextKey, values?: Values): string
  /** A text that only the app can give; empty if it gives none. */
  own(key: (typeof ownTextNames)[number]): string
  /** The texts of an activation without internet. Placeholders other than `{app}` stay. */
  readonly offline: OfflineStrings
  /** A text with plural forms; `{count}` is the number. */
  counted(key: CountedKey, count: number): string
  /** What happened and what to do, one line per sentence. */
  problem(problem: {
    readonly code: ProblemCode | OfflineProblemCode
    readonly message?: string
    readonly character?: string
  }): string
  number(value: number): string
  /** A date, written out. If it isn't a timestamp, the text unchanged. */
  date(timestamp: string): string
  seconds(count: number): string
}

// Hebrew, Arabic and similar scripts.
const rightToLeft = /[\u0590-\u08FF]/u

/**
 * Creates the translator of a locale.
 *
 * @param overrides texts that replace the built-in ones, by key. A text with plural forms has the key `key.category`, a
 * problem's sentence `problems.code`.
 * @param app name of the app, for `{app}`.
 * @param host host of the license service, for `{host}`.
 */
export function createTranslator(
  { locale, strings, offlineStrings }: LoadedStrings,
  overrides: Readonly<Record<string, string>>,
  app: string,
  host = '',
): Translator {
  // The only language here that is written from right to left.
  const direction = /^ar\b/u.test(locale) ? 'rtl' : 'ltr'
  // Created on first use: in a new page the first one takes longer than drawing the screen.
  const number = (value: number, options: Intl.NumberFormatOptions = {}): string =>
    new Intl.NumberFormat(locale, options).format(value)

  // Isolation keeps the direction of a key or a name in a sentence of the other direction.
  const isolate = (value: string): string =>
    direction === 'rtl' || rightToLeft.test(value) ? `\u2068${value}\u2069` : value
  const fill = (text: string, values: Values): string =>
    text.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
      const value = { app, host, ...values }[name]
      return value === undefined ? placeholder : isolate(value)
    })
  const pick = (key: string, builtIn: string): string =>
    (Object.hasOwn(overrides, key) ? overrides[key] : null) ?? builtIn

  const sentences = (text: string): string => {
    const split = new Intl.Segmenter(locale, { granularity: 'sentence' })
    return Array.from(split.segment(text), ({ segment }) => segment.trim()).join('\n')
  }

  const replaced = <Texts extends Readonly<Record<string, string>>>(group: string, texts: Texts): Texts => {
    const entries = Object.entries(texts).map(([name, text]) => {
      return [name, fill(pick(`${group}.${name}`, text), {})]
    })
    return { ...texts, ...Object.fromEntries(entries) }
  }
  const { problems, ...offlineTexts } = offlineStrings
  const problemTexts: Readonly<Partial<Record<string, string>>> = { ...problems, ...strings.problems }

  return {
    locale,
    host,
    direction,
    text: (key, values = {}) => fill(pick(key, strings[key]), values),
    own: (key) => fill(pick(key, ''), {}),
    offline: { ...replaced('offline', offlineTexts), problems },
    counted: (key, count) => {
      const forms = strings[key]
      const category = new Intl.PluralRules(locale).select(count)
      const form = pick(`${key}.${category}`, forms[category] ?? pick(`${key}.other`, forms.other))
      return fill(form, { count: number(count) })
    },
    problem: ({ code, message = '', character }) => {
      const text = fill(pick(`problems.${code}`, problemTexts[code] ?? message), {})
      return sentences(character === undefined ? text : withCharacter(text, character))
    },
    number,
    date: (timestamp) => formatDay(timestamp, locale) ?? timestamp,
    seconds: (count) => number(count, { style: 'unit', unit: 'second', unitDisplay: 'long' }),
  }
}

/** Adds a character and its number before the end of a sentence: it may look like another, or like nothing. */
function withCharacter(text: string, character: string): string {
  const codePoint = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  const shown = new RegExp(`[${unicodeClass('C')}\ufffd]`, 'u').test(character) ? '' : `${character}, `
  return text.replace(/[.\u3002]?$/u, (end) => ` (${shown}U+${codePoint})${end}`)
}
