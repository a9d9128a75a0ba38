import type { Logger } from '../../core/ports.ts'
import { pickLanguage } from '../../shared/pick-language.ts'
import type { ActivationWindowOptions } from '../options/licensing-options.ts'

/** The languages of the window's built-in texts. A test compares them with the texts. */
export const builtInLanguages: readonly string[] = [
  'en',
  'de',
  'fr',
  'es',
  'pt',
  'it',
  'nl',
  'pl',
  'ja',
  'zh',
  'ko',
  'ar',
]

/** Warns once if `window.locale` has neither built-in texts nor texts of the app. */
export function createLocaleCheck(
  logger: Logger,
): (window: Pick<ActivationWindowOptions, 'locale' | 'strings'>) => void {
  let isTold = false
  return ({ locale, strings = {} }) => {
    if (isTold || locale === undefined || Object.keys(strings).length > 0) return
    const { language } = pickLanguage(locale, builtInLanguages)
    if (language !== 'en' || /^en(?![a-z])/iu.test(locale)) return
    isTold = true
    const known = builtInLanguages.join(', ')
    logger.warn(
      `window.locale: there are no built-in texts for ${JSON.stringify(locale)}, so the activation window is in English. There are texts for ${known}. For another language, set window.strings.`,
    )
  }
}
