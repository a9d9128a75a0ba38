import { unicodeClass } from '../../shared/license-key-text.ts'
import type { OfflineProblemCode } from '../../shared/offline-problem.ts'
import type { ProblemCode } from '../../shared/problem.ts'
import { formatDay } from '../../shared/timestamp.ts'
import type { CountedKey, LoadedStrings, TextKey } from '../../texts/load-strings.ts'

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
  /** A text; empty if it is one that only the app can give and it gives none. */
  text(key: TextKey | 'activatedNote', values?: Values): string
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
 * @param overrides texts that replace the built-in ones, by key.
 * @param app name of the app, for `{app}`.
 * @param host host of the license service, for `{host}`.
 */
export function createTranslator(
  { locale, strings }: LoadedStrings,
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
  const builtIn: Readonly<Record<string, string | undefined>> = strings
  const pick = (key: string): string | undefined => overrides[key] ?? builtIn[key]

  const sentences = (text: string): string => {
    const split = new Intl.Segmenter(locale, { granularity: 'sentence' })
    return Array.from(split.segment(text), ({ segment }) => segment.trim()).join('\n')
  }

  return {
    locale,
    host,
    direction,
    text: (key, values = {}) => fill(pick(key) ?? '', values),
    counted: (key, count) => {
      const category = new Intl.PluralRules(locale).select(count)
      return fill(pick(`${key}.${category}`) ?? pick(`${key}.other`) ?? '', { count: number(count) })
    },
    problem: ({ code, message = '', character }) => {
      const text = fill(pick(`problems.${code}`) ?? message, {})
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
