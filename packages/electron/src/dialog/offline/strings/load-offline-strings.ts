import type { Translator } from '../../scene/translator.ts'
import { strings as en } from './en.ts'
import type { OfflineStrings } from './offline-strings.ts'

// One file per language, loaded when someone activates without internet in it.
const loaders: Readonly<Record<string, () => Promise<{ readonly strings: OfflineStrings }>>> = {
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

/** The languages of these texts: those of the screen. */
export const offlineLanguages: readonly string[] = ['en', ...Object.keys(loaders)]

/** Loads the texts for a locale of the screen, in English if that fails. Never rejects. */
export async function loadOfflineStrings(locale: string): Promise<OfflineStrings> {
  const load = loaders[locale.split('-')[0] ?? '']
  return (
    load?.().then(
      ({ strings }) => strings,
      () => en,
    ) ?? en
  )
}

/** Returns the texts with those that `window.strings` replaces: `offline.heading`, and `problems.` with a code. */
export function replacedStrings(
  { problems, ...texts }: OfflineStrings,
  { loaded }: Pick<Translator, 'loaded'>,
): OfflineStrings {
  const replaced = <Texts extends Readonly<Record<string, string>>>(group: string, built: Texts): Texts => {
    const entries = Object.entries(built).map(([name, text]) => [name, loaded(`${group}.${name}`, text)])
    return { ...built, ...Object.fromEntries(entries) }
  }
  return { ...replaced('offline', texts), problems: replaced('problems', problems) }
}
