import type { Glance } from './glance.ts'
import { focusPlaceOf, layoutOf } from './keep-focus.ts'
import type { Phrasebook } from './phrasebook.ts'

/** What a screen reader is told about a change, beyond what it reads by the focus; `null` for nothing. */
export function newsOf(before: Glance | null, now: Glance, phrases: Phrasebook): string | null {
  const { scene, view } = now
  if (before === null || layoutOf(before.scene) !== layoutOf(scene)) {
    const heading = focusPlaceOf(scene) === 'heading' ? '' : scene.heading
    return sentences(heading, scene.lead, scene.code, scene.note, scene.notice?.text)
  }
  const was = before.scene
  if (now.error !== null && (now.error !== before.error || view.attempt !== before.view.attempt)) {
    return now.error
  }
  if (view.isSlow && !before.view.isSlow) return phrases.text('takingLong')
  if (scene.situation.isChecking && !was.situation.isChecking) {
    // A try the screen makes by itself is no news.
    return scene.situation.kind === 'no-network' ? null : scene.busyLabel
  }
  if (scene.heading !== was.heading)
    return sentences(scene.heading, scene.lead, scene.note, scene.notice?.text)
  if (scene.lead !== was.lead) return sentences(scene.lead, scene.note)
  if (scene.notice !== null && scene.notice.text !== was.notice?.text) return scene.notice.text
  if (now.foundKey !== null && now.foundKey !== before.foundKey) {
    return phrases.text('keyFound', { key: now.foundKey })
  }
  if (view.clipboardKey !== null && view.clipboardKey !== before.view.clipboardKey) {
    return phrases.text('useClipboard', { key: view.clipboardKey })
  }
  return now.isCopied && !before.isCopied ? phrases.text('copied') : null
}

function sentences(...parts: readonly (string | null | undefined)[]): string {
  return parts.filter((part) => part != null && part !== '').join(' ')
}
