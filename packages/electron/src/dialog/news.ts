import type { SessionView } from './activation-session.ts'
import type { Phrasebook } from './phrasebook.ts'
import type { Scene } from './scene.ts'

/** What is on the screen at one moment, as far as it may be news. */
export interface Glance {
  readonly scene: Scene
  readonly view: SessionView
  readonly foundKey: string | null
  /** Sentence at the field. */
  readonly error: string | null
  readonly isCopied: boolean
}

/** Where the focus belongs when the screen turns to another matter. */
export type FocusPlace = 'key' | 'primary' | 'heading'

/** One name for all scenes between which the focus can stay where it is. */
export function layoutOf({ body, situation }: Scene): string {
  return body === 'form' ? body : situation.kind
}

/** Where the focus goes in a scene. A button only where pressing Enter once too often does no harm. */
export function focusPlaceOf({ body, situation }: Scene): FocusPlace {
  if (body === 'form') return 'key'
  return situation.kind === 'activated' || situation.kind === 'grace' ? 'primary' : 'heading'
}

/** What a screen reader is told about a change, beyond what it reads by the focus; `null` for nothing. */
export function newsOf(before: Glance | null, now: Glance, phrases: Phrasebook): string | null {
  const { scene, view } = now
  if (before === null || layoutOf(before.scene) !== layoutOf(scene)) {
    const heading = focusPlaceOf(scene) === 'heading' ? null : scene.heading
    return [heading, scene.lead, scene.note].filter(Boolean).join(' ')
  }
  if (now.error !== null && now.error !== before.error) return now.error
  if (view.isSlow && !before.view.isSlow) return phrases.text('takingLong')
  // A try the screen makes by itself is no news.
  if (
    scene.situation.isChecking &&
    !before.scene.situation.isChecking &&
    scene.situation.kind !== 'no-network'
  ) {
    return phrases.text('checking')
  }
  if (scene.heading !== before.scene.heading) return `${scene.heading} ${scene.lead}`
  if (scene.note !== null && scene.note !== before.scene.note) return scene.note
  if (now.foundKey !== null && now.foundKey !== before.foundKey) {
    return phrases.text('keyFound', { key: now.foundKey })
  }
  if (view.clipboardKey !== null && view.clipboardKey !== before.view.clipboardKey) {
    return phrases.text('useClipboard', { key: view.clipboardKey })
  }
  return now.isCopied && !before.isCopied ? phrases.text('copied') : null
}
