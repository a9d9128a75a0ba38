import { pickLanguage } from '../../shared/pick-language.ts'
import type { ActivationStrings } from './activation-strings.ts'
import { strings as en } from './en.ts'

// One file per language, loaded when a window asks for it. English comes along: it is there when nothing else is.
const loaders: Readonly<Record<string, () => Promise<{ readonly strings: ActivationStrings }>>> = {
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

/** Languages the screen speaks, as BCP 47 language tags. */
export const languages: readonly string[] = ['en', ...Object.keys(loaders)]

/** Texts in a language, and the locale whose dates and numbers go with them. */
export interface LoadedStrings {
  readonly locale: string
  readonly strings: ActivationStrings
}

/** Texts for a BCP 47 locale: its own language, or English when the screen does not speak it. Never rejects. */
export async function loadStrings(wanted: string): Promise<LoadedStrings> {
  const { language, locale } = pickLanguage(wanted, languages)
  return (
    loaders[language]?.().then(
      ({ strings }) => ({ locale, strings }),
      () => ({ locale: 'en', strings: en }),
    ) ?? { locale, strings: en }
  )
}
