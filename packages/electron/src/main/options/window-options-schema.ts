import type { BrowserWindow } from 'electron'
import * as z from 'zod/mini'
import { parseUrl } from '../origin.ts'
import { isCssColor, nearestColorName } from './css-color.ts'
import type { ActivationWindowOptions } from './licensing-options.ts'

/** A text; `hint` says what it must be. */
export function text(hint: string): z.ZodMiniString {
  return z.string({ error: hint })
}

/** A text of one line that is not blank. */
export function line(hint: string, maxLength = 200): z.ZodMiniString {
  return text(hint).check(
    z.refine((value) => value.trim() !== '' && value.length <= maxLength && !/\p{Cc}/u.test(value), hint),
  )
}

function isHttpsUrl(value: string): boolean {
  const url = parseUrl(value)
  return url !== null && url.protocol === 'https:' && url.username === '' && url.password === ''
}

const linkHint = 'must be an https:// address'
const link = z.optional(text(linkHint).check(z.refine(isHttpsUrl, linkHint)))

const localeHint = 'must be a language tag such as "de" or "pt-BR"'
const locale = text(localeHint).check(
  z.refine((value) => {
    try {
      return Intl.getCanonicalLocales(value).length === 1
    } catch {
      return false
    }
  }, localeHint),
)

const accentHint = 'must be a CSS color such as "#0a7c66" or "teal"'
const accent = text(accentHint).check(
  z.refine(isCssColor, {
    error: ({ input }) => {
      const nearest = typeof input === 'string' ? nearestColorName(input) : null
      return nearest === null ? accentHint : `${accentHint} (did you mean "${nearest}"?)`
    },
  }),
)

const windowHint = 'must be an object'
/** The options of an activation window. */
export const windowSchema: z.ZodMiniType<ActivationWindowOptions> = z.strictObject(
  {
    title: z.optional(line('must be a line of text')),
    logo: z.optional(text('must be an absolute path or a data:image/… URL')),
    accent: z.optional(accent),
    links: z.optional(
      z.strictObject(
        { buy: link, renew: link, coveredVersion: link, support: link, account: link },
        { error: windowHint },
      ),
    ),
    locale: z.optional(locale),
    strings: z.optional(z.record(z.string(), text('must be text'), { error: windowHint })),
    parent: z.optional(
      z.custom<BrowserWindow>(
        (value) => typeof value === 'object' && value !== null && 'webContents' in value,
        'must be a BrowserWindow',
      ),
    ),
    prefilledText: z.optional(text('must be text')),
  },
  { error: windowHint },
)
