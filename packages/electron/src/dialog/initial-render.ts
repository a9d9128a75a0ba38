import type { PageStart } from '../shared/page-start.ts'
import { htmlText } from './dom/html-text.ts'
import { accentProperties } from './look/apply-accent.ts'
import { readHexColor } from './look/read-color.ts'
import { screenFrame, untouchedInput } from './scene/screen-frame.ts'
import { firstView } from './scene/session-view.ts'
import { createTranslator } from './scene/translator.ts'
import type { ScreenStrings } from './strings/activation-strings.ts'
import { screenTemplate } from './templates/screen-template.ts'

// What can wait until the page's own script has run, so that the words are painted earlier: the light behind the logo, which
// takes long to draw and then fades in, and the font of the field, which is empty until then.
const untilScript = '.glow{opacity:0}.box input{font-family:inherit}'

/**
 * Returns what the screen shows first, as HTML. The page shows it before its script has run; the script then draws the
 * same content over it.
 *
 * @returns styles and content of the element's shadow root; `null` if only the page itself can tell how it will look.
 */
export function initialRender(
  { state, screen, strings, locale }: PageStart<ScreenStrings>,
  nowMs: number,
): string | null {
  const { accent, links, logo, prefilledText, title } = screen
  const color = accent === null ? null : readHexColor(accent)
  const ofOffline = state.license?.validUntil ?? state.releaseCodes ?? state.releaseCode
  const isOnDemand = prefilledText !== null || ofOffline !== undefined
  if (isOnDemand || (accent !== null && color === null)) return null

  const translator = createTranslator(locale, strings, screen.strings, title)
  const view = { ...firstView, state }
  const frame = screenFrame(null, view, untouchedInput, translator, links, nowMs)
  const properties = color === null ? [] : accentProperties(color).map((property) => property.join(':'))
  const content = htmlText([screenTemplate(frame, translator, logo)])
  return `<style>:host{${properties.join(';')}}${untilScript}</style>${content}`
}
