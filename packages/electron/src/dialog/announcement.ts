import { focusPlaceOf, layoutOf } from './keep-focus.ts'
import type { Scene } from './scene.ts'
import type { ScreenFrame } from './screen-frame.ts'
import type { Translator } from './translator.ts'

/** What a screen reader is told about a change, beyond what it reads by the focus; `null` for nothing. */
export function announcementOf(
  before: ScreenFrame | null,
  now: ScreenFrame,
  translator: Translator,
): string | null {
  const { scene, view } = now
  if (before === null || layoutOf(before.scene) !== layoutOf(scene)) {
    // The heading is read by the focus, where that goes there.
    return focusPlaceOf(scene) === 'heading' ? sentencesOf(scene) : `${scene.heading} ${sentencesOf(scene)}`
  }
  const was = before.scene
  if (now.error !== null && (now.error !== before.error || view.attempt !== before.view.attempt)) {
    return now.error
  }
  if (view.isSlow && !before.view.isSlow) return translator.text('takingLong')
  if (scene.situation.isChecking && !was.situation.isChecking) {
    // An automatic retry is not announced.
    return scene.situation.kind === 'no-network' ? null : scene.busyLabel
  }
  if (scene.heading + sentencesOf(scene) !== was.heading + sentencesOf(was)) {
    return `${scene.heading} ${sentencesOf(scene)}`
  }
  if (now.foundKey !== null && now.foundKey !== before.foundKey) {
    return translator.text('keyFound', { key: now.foundKey })
  }
  if (view.clipboardKey !== null && view.clipboardKey !== before.view.clipboardKey) {
    return translator.text('useClipboard', { key: view.clipboardKey })
  }
  return now.isCopied && !before.isCopied ? translator.text('copied') : null
}

function sentencesOf({ lead, code, note, notice }: Scene): string {
  return [lead, code, note, notice?.text].filter(Boolean).join(' ')
}
