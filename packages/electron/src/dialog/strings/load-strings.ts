import type { ActivationStrings } from './activation-strings.ts'

// One file per language, loaded when a window asks for it.
const loaders: Readonly<Record<string, () => Promise<ActivationStrings>>> = {
  en: async () => (await import('./en.ts')).en,
  de: async () => (await import('./de.ts')).de,
  fr: async () => (await import('./fr.ts')).fr,
  es: async () => (await import('./es.ts')).es,
  pt: async () => (await import('./pt.ts')).pt,
  it: async () => (await import('./it.ts')).it,
  nl: async () => (await import('./nl.ts')).nl,
  pl: async () => (await import('./pl.ts')).pl,
  ja: async () => (await import('./ja.ts')).ja,
  zh: async () => (await import('./zh.ts')).zh,
  ko: async () => (await import('./ko.ts')).ko,
  ar: async () => (await import('./ar.ts')).ar,
}

/** Languages the screen speaks, as BCP 47 language tags. */
export const languages: readonly string[] = Object.keys(loaders)

/** Texts in a language, and the locale whose dates and numbers go with them. */
export interface LoadedStrings {
  readonly locale: string
  readonly strings: ActivationStrings
}

/**
 * Texts for a BCP 47 locale: its own language, or English when the screen does not speak it.
 * `de_AT.UTF-8` and the like are welcome too.
 *
 * @throws when the file of the language is missing, and that of English too.
 */
export async function loadStrings(wanted: string): Promise<LoadedStrings> {
  const locale = canonicalLocale(wanted)
  const load = locale === null ? undefined : loaders[locale.language]
  if (locale === null || load === undefined) return loadEnglish()
  try {
    return { locale: locale.toString(), strings: await load() }
  } catch {
    return loadEnglish()
  }
}

async function loadEnglish(): Promise<LoadedStrings> {
  const { en } = await import('./en.ts')
  return { locale: 'en', strings: en }
}

function canonicalLocale(text: string): Intl.Locale | null {
  try {
    return new Intl.Locale(text.split('.')[0]?.replaceAll('_', '-') ?? '')
  } catch {
    return null
  }
}
