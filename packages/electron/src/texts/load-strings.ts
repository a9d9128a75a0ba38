import { type OfflineProblemCode, offlineProblemMessages } from '../shared/offline-problem.ts'
import { type ProblemCode, problemMessages } from '../shared/problem.ts'
import en from './en.json' with { type: 'json' }

type CountedKeyOf<Key> = Key extends `${infer Name}.other` ? Name : never

/** The key of a text with plural forms, without the form. */
export type CountedKey = CountedKeyOf<keyof typeof en>

type CountedForm = `${CountedKey}.${Intl.LDMLPluralRule}`

/** The key of a text without plural forms, besides the sentences of problems. */
export type TextKey = Exclude<keyof typeof en, CountedForm>

/**
 * The key of a text of the activation window, such as `enterHeading`, `trialHeading.one` or `problems.offline`. The guide's
 * page on the activation window lists all of them. Only an app can give `activatedNote`: the window has none of its own.
 */
export type ActivationTextName =
  | TextKey
  | 'activatedNote'
  | CountedForm
  | `problems.${ProblemCode | OfflineProblemCode}`

/** Texts that replace the built-in ones, by key. */
export type ActivationTexts = { readonly [Name in ActivationTextName]?: string }

/**
 * Every text of the activation window in one language, by key. `{app}`, `{key}`, `{date}`, `{count}`, `{time}`, `{used}` and
 * `{limit}` are placeholders. A text with plural forms has a key for each plural category of its language. A line break
 * separates sentences that each start a new line. To replace a text, pass its key in `window.strings`.
 */
export type ActivationStrings = Readonly<Record<TextKey, string>> & ActivationTexts

/** Texts in a language, and the locale for their dates and numbers. */
export interface LoadedStrings {
  /** BCP 47. */
  readonly locale: string
  readonly strings: ActivationStrings
}

// The other languages are loaded when a window needs them.
const loaders: Readonly<Record<string, () => Promise<{ readonly default: ActivationStrings }>>> = {
  de: () => import('./de.json', { with: { type: 'json' } }),
  fr: () => import('./fr.json', { with: { type: 'json' } }),
  es: () => import('./es.json', { with: { type: 'json' } }),
  pt: () => import('./pt.json', { with: { type: 'json' } }),
  it: () => import('./it.json', { with: { type: 'json' } }),
  nl: () => import('./nl.json', { with: { type: 'json' } }),
  pl: () => import('./pl.json', { with: { type: 'json' } }),
  ja: () => import('./ja.json', { with: { type: 'json' } }),
  zh: () => import('./zh.json', { with: { type: 'json' } }),
  ko: () => import('./ko.json', { with: { type: 'json' } }),
  ar: () => import('./ar.json', { with: { type: 'json' } }),
}

// The main process logs these sentences, so it has them in code.
const problems = Object.entries({ ...problemMessages, ...offlineProblemMessages }).map(
  ([code, message]) => [`problems.${code}`, message] as const,
)

/** The texts in English. */
export const english: LoadedStrings = { locale: 'en', strings: { ...en, ...Object.fromEntries(problems) } }

/** The window's languages, as BCP 47 language tags. */
export const languages: readonly string[] = ['en', ...Object.keys(loaders)]

/**
 * Loads the texts for a BCP 47 locale: in its language, or in English if the window doesn't have it. Also accepts forms such
 * as `de_AT.UTF-8`. Never rejects.
 */
export async function loadStrings(wanted: string): Promise<LoadedStrings> {
  try {
    const locale = new Intl.Locale(wanted.split('.')[0]?.replaceAll('_', '-') ?? '')
    if (locale.language === 'en') return { ...english, locale: locale.toString() }
    const load = Object.hasOwn(loaders, locale.language) ? loaders[locale.language] : undefined
    return load === undefined ? english : { locale: locale.toString(), strings: (await load()).default }
  } catch {
    // The text isn't a locale, or a file of the app is gone.
    return english
  }
}
