/** An available language, and the locale for its dates and numbers. */
export interface PickedLanguage {
  readonly language: string
  readonly locale: string
}

/**
 * Picks the language of a BCP 47 locale, or English if it isn't available.
 * Also accepts forms such as `de_AT.UTF-8`.
 */
export function pickLanguage(wanted: string, languages: readonly string[]): PickedLanguage {
  try {
    const locale = new Intl.Locale(wanted.split('.')[0]?.replaceAll('_', '-') ?? '')
    if (languages.includes(locale.language)) {
      return { language: locale.language, locale: locale.toString() }
    }
  } catch {
    // The text isn't a locale.
  }
  return { language: 'en', locale: 'en' }
}
