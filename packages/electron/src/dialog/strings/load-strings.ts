import { pickLanguage } from '../../shared/pick-language.ts'
import type { ScreenStrings } from './activation-strings.ts'
import { strings as en } from './en.ts'

// One file per language, loaded when a window needs it. English is always included, as the fallback.
const loaders: Readonly<Record<string, () => Promise<{ readonly strings: ScreenStrings }>>> = {
  de: () => import('./de.ts'),
  fr: () => import('./fr.ts'),
  es: () => import('./es.ts'),
  pt: () => import('./pt.ts'),
  it: () => import('./it.ts'),
  nl: () => import('./nl.ts'),
  pl: () => import('./pl.ts'),
  ja: () => import('./ja.ts'),
  zh: () => import('./zh.ts'),
  ko: () => import('./ko.ts'),
  ar: () => import('./ar.ts'),
}

/** The screen's languages, as BCP 47 language tags. */
export const languages: readonly string[] = ['en', ...Object.keys(loaders)]

/** Texts in a language, and the locale for their dates and numbers. */
export interface LoadedStrings {
  readonly locale: string
  readonly strings: ScreenStrings
}

/** Loads the texts for a BCP 47 locale: in its language, or in English if the screen doesn't have it. Never rejects. */
export async function loadStrings(wanted: string): Promise<LoadedStrings> {
  const { language, locale } = pickLanguage(wanted, languages)
  return (
    loaders[language]?.().then(
      ({ strings }) => ({ locale, strings }),
      () => ({ locale: 'en', strings: en }),
    ) ?? { locale, strings: en }
  )
}
