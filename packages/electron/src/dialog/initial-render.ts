import type { PageStart } from '../shared/page-start.ts'
import { firstView } from './activation-session.ts'
import { accentProperties } from './apply-accent.ts'
import { hintOf } from './hint-of.ts'
import { htmlText } from './html-text.ts'
import { readHexColour } from './read-colour.ts'
import { sceneOf } from './scene-of.ts'
import type { ActivationStrings } from './strings/activation-strings.ts'
import { type ScreenEvents, screenTemplate } from './templates/screen-template.ts'
import { createTranslator } from './translator.ts'

const untouched = {
  pasteProblem: null,
  foundKey: null,
  isFromLink: false,
  isEdited: false,
  isUnchosen: false,
} as const

/**
 * What the screen shows first, as HTML: the page is on the display before its script has run, which then draws the
 * same thing over it.
 *
 * @returns styles and content of the element's shadow root; `null` where only the page itself knows how it will look.
 */
export function initialRender(
  { state, screen, strings, locale }: PageStart<ActivationStrings>,
  nowMs: number,
): string | null {
  const { accent, links, logo, prefilledText, title } = screen
  const colour = accent === null ? null : readHexColour(accent)
  if (prefilledText !== null || (accent !== null && colour === null)) return null

  const translator = createTranslator(locale, strings, screen.strings, title)
  const view = { ...firstView, state }
  const scene = sceneOf(view, translator, links, nowMs)
  const frame = {
    scene,
    view,
    hint: hintOf(scene, view, untouched, translator),
    token: null,
    chosenId: null,
    isCopied: false,
  }
  const properties = colour === null ? [] : accentProperties(colour).map((property) => property.join(':'))
  const content = htmlText(screenTemplate(frame, translator, logo, unheard))
  return `<style>:host{${properties.join(';')}}</style>${content}`
}

const nothing = (): void => {}
const unheard: ScreenEvents = {
  perform: nothing,
  onLogoError: nothing,
  onSubmit: nothing,
  onInput: nothing,
  onTake: nothing,
  onFocus: nothing,
  onRemoveToken: nothing,
  onChoose: nothing,
}
