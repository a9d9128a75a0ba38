import { type OfflineProblemCode, offlineProblemMessages } from '../../shared/offline-problem.ts'
import { pickLanguage } from '../../shared/pick-language.ts'
import { type ProblemCode, problemMessages } from '../../shared/problem.ts'
import type { countedTextNames, offlineTextNames, textNames } from '../../shared/text-names.ts'
import en from './en.json' with { type: 'json' }
import offlineEn from './offline/en.json' with { type: 'json' }

/** A text by the plural categories of its language; `other` is in every language. */
export type CountedText = { readonly [Category in Intl.LDMLPluralRule]?: string } & {
  readonly other: string
}

/** Names of the texts without plural forms. */
export type TextKey = (typeof textNames)[number]

/** Names of the texts with plural forms. */
export type CountedKey = (typeof countedTextNames)[number]

/**
 * Every text of the activation window in one language. `{app}`, `{key}`, `{date}`, `{count}`, `{time}`, `{used}` and
 * `{limit}` are placeholders. A text with plural forms is a record by the language's plural categories. A line break
 * separates sentences that each start a new line. To replace a text, pass its name in `window.strings`.
 */
export type ActivationStrings = { readonly [Key in TextKey]: string } & {
  readonly [Key in CountedKey]: CountedText
} & {
  /** One text per problem: what happened and what to do. */
  readonly problems: { readonly [Code in ProblemCode]: string }
}

type NameOf<Key> = Key extends `offline.${infer Name}` ? Name : never

/** The texts of an activation without internet in one language. A line break separates sentences. */
export type OfflineStrings = { readonly [Name in NameOf<(typeof offlineTextNames)[number]>]: string } & {
  /** One text per problem: what happened and what to do. */
  readonly problems: { readonly [Code in OfflineProblemCode]: string }
}

/** Texts in a language, and the locale for their dates and numbers. */
export interface LoadedStrings {
  /** BCP 47. */
  readonly locale: string
  readonly strings: ActivationStrings
  readonly offlineStrings: OfflineStrings
}

type Loader = () => Promise<
  readonly [{ readonly default: ActivationStrings }, { readonly default: OfflineStrings }]
>

// The other languages are loaded when a window needs them.
const loaders: Readonly<Record<string, Loader>> = {
  de: () =>
    Promise.all([
      import('./de.json', { with: { type: 'json' } }),
      import('./offline/de.json', { with: { type: 'json' } }),
    ]),
  fr: () =>
    Promise.all([
      import('./fr.json', { with: { type: 'json' } }),
      import('./offline/fr.json', { with: { type: 'json' } }),
    ]),
  es: () =>
    Promise.all([
      import('./es.json', { with: { type: 'json' } }),
      import('./offline/es.json', { with: { type: 'json' } }),
    ]),
  pt: () =>
    Promise.all([
      import('./pt.json', { with: { type: 'json' } }),
      import('./offline/pt.json', { with: { type: 'json' } }),
    ]),
  it: () =>
    Promise.all([
      import('./it.json', { with: { type: 'json' } }),
      import('./offline/it.json', { with: { type: 'json' } }),
    ]),
  nl: () =>
    Promise.all([
      import('./nl.json', { with: { type: 'json' } }),
      import('./offline/nl.json', { with: { type: 'json' } }),
    ]),
  pl: () =>
    Promise.all([
      import('./pl.json', { with: { type: 'json' } }),
      import('./offline/pl.json', { with: { type: 'json' } }),
    ]),
  ja: () =>
    Promise.all([
      import('./ja.json', { with: { type: 'json' } }),
      import('./offline/ja.json', { with: { type: 'json' } }),
    ]),
  zh: () =>
    Promise.all([
      import('./zh.json', { with: { type: 'json' } }),
      import('./offline/zh.json', { with: { type: 'json' } }),
    ]),
  ko: () =>
    Promise.all([
      import('./ko.json', { with: { type: 'json' } }),
      import('./offline/ko.json', { with: { type: 'json' } }),
    ]),
  ar: () =>
    Promise.all([
      import('./ar.json', { with: { type: 'json' } }),
      import('./offline/ar.json', { with: { type: 'json' } }),
    ]),
}

/** The texts in English. */
export const english: LoadedStrings = {
  locale: 'en',
  // The main process logs these sentences, so it has them in code.
  strings: { ...en, problems: problemMessages },
  offlineStrings: { ...offlineEn, problems: offlineProblemMessages },
}

/** The window's languages, as BCP 47 language tags. */
export const languages: readonly string[] = ['en', ...Object.keys(loaders)]

/** Loads the texts for a BCP 47 locale: in its language, or in English if the window doesn't have it. Never rejects. */
export async function loadStrings(wanted: string): Promise<LoadedStrings> {
  const { language, locale } = pickLanguage(wanted, languages)
  try {
    const loaded = await loaders[language]?.()
    if (loaded === undefined) return { ...english, locale }
    const [strings, offlineStrings] = loaded
    return { locale, strings: strings.default, offlineStrings: offlineStrings.default }
  } catch {
    return english
  }
}
