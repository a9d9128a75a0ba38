import { focusPlaceOf, focusPlaces, layoutOf } from '../keep-focus.ts'
import type { Scene } from './scene.ts'
import type { ScreenFrame } from './screen-frame.ts'
import type { Translator } from './translator.ts'

/** What screen readers announce about a change in addition to what has the focus; `null` for nothing. */
export function announcementOf(
  before: ScreenFrame | null,
  now: ScreenFrame,
  translator: Translator,
): string | null {
  const { scene, view, hint } = now
  if (before === null || layoutOf(before.scene) !== layoutOf(scene)) {
    // A heading that receives the focus is read anyway.
    return wordsOf(focusPlaceOf(now) === focusPlaces.heading ? { ...scene, heading: '' } : scene)
  }
  const was = before.scene
  const said = onOneLine(hint.said)
  const isNew = hint.said !== before.hint.said
  if (hint.tone === 'danger' && (isNew || view.attempt !== before.view.attempt)) return said
  if (view.isSlow && !before.view.isSlow) return translator.text('takingLong')
  // An automatic retry is not announced.
  if (scene.situation.isChecking !== was.situation.isChecking && scene.situation.kind !== 'no-network') {
    // A check ends with the words of the screen, even if they stayed the same.
    return scene.situation.isChecking ? scene.busyLabel : wordsOf(scene)
  }
  if (wordsOf(scene) !== wordsOf(was)) return wordsOf(scene)
  if (hint.tone === 'success' && isNew) return `${said} ${now.token ?? ''}`.trim()
  return view.isCopied && !before.view.isCopied ? translator.text('copied') : null
}

function wordsOf({ heading, lead, code, notice }: Scene): string {
  return onOneLine([heading, lead, code, notice?.text].filter(Boolean).join(' '))
}

function onOneLine(text: string): string {
  return text.replaceAll('\n', ' ')
}
