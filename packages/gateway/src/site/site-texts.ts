import { parseAccept } from 'hono/utils/accept'
import ar from './texts/ar.json' with { type: 'json' }
import de from './texts/de.json' with { type: 'json' }
import en from './texts/en.json' with { type: 'json' }
import es from './texts/es.json' with { type: 'json' }
import fr from './texts/fr.json' with { type: 'json' }
import it from './texts/it.json' with { type: 'json' }
import ja from './texts/ja.json' with { type: 'json' }
import ko from './texts/ko.json' with { type: 'json' }
import nl from './texts/nl.json' with { type: 'json' }
import pl from './texts/pl.json' with { type: 'json' }
import pt from './texts/pt.json' with { type: 'json' }
import zh from './texts/zh.json' with { type: 'json' }

/** The texts of the pages in one language. `{date}` and `{name}` are replaced. */
export type SiteTexts = typeof en

/** The texts of the pages by language, as BCP 47 writes it. */
export const siteTexts: Readonly<Record<string, SiteTexts>> = {
  en,
  ar,
  de,
  es,
  fr,
  it,
  ja,
  ko,
  nl,
  pl,
  pt,
  zh,
}

/** A language of the site, and its texts. */
export interface SiteLanguage {
  readonly language: string
  readonly texts: SiteTexts
}

/** Returns the first language that the browser asks for and the site has; otherwise English. */
export function languageOf(headers: Headers): SiteLanguage {
  for (const { type } of parseAccept(headers.get('accept-language') ?? '')) {
    const language = type.split('-')[0]?.toLowerCase() ?? ''
    const texts = Object.hasOwn(siteTexts, language) ? siteTexts[language] : undefined
    if (texts !== undefined) return { language, texts }
  }
  return { language: 'en', texts: en }
}
