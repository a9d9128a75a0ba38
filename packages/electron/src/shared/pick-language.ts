/** A language out of those there are, and the locale whose dates and numbers go with it. */
export interface PickedLanguage {
  readonly language: string
  readonly locale: string
}

/**
 * The language of a BCP 47 locale, or English where it is none of those there are.
 * `de_AT.UTF-8` and the like are welcome too.
 */
export function pickLanguage(wanted: string, languages: readonly string[]): PickedLanguage {
  try {
    const locale = new Intl.Locale(wanted.split('.')[0]?.replaceAll('_', '-') ?? '')
    if (languages.includes(locale.language)) {
      return { language: locale.language, locale: locale.toString() }
    }
  } catch {
    // No locale at all.
  }
  return { language: 'en', locale: 'en' }
}
