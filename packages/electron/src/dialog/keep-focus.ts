import type { Scene } from './scene.ts'
import type { ScreenFrame } from './screen-frame.ts'

/** Where the focus belongs when the screen turns to another matter. */
export type FocusPlace = 'key' | 'primary' | 'other' | 'heading'

const selectors: Readonly<Record<FocusPlace, string>> = {
  key: '#key',
  primary: '.actions [type=submit]',
  other: '.actions [type=button]',
  heading: '#heading',
}

/** One name for all scenes between which the focus can stay where it is. */
export function layoutOf({ body, situation }: Scene): string {
  return body === 'form' ? body : situation.kind
}

/** Where the focus goes in a scene. A button only where pressing Enter once too often does no harm. */
export function focusPlaceOf({ scene: { body, situation }, token, hint }: ScreenFrame): FocusPlace {
  if (body === 'form') return token === null || hint.tone === 'danger' ? 'key' : 'primary'
  if (situation.kind === 'deactivate') return 'other'
  return situation.kind === 'activated' || situation.kind === 'grace' ? 'primary' : 'heading'
}

/**
 * Puts the focus where the user goes on, after a change that moved or removed what had it.
 * The caller has made sure that the focus was in this screen.
 */
export function keepFocus(root: ShadowRoot, before: ScreenFrame | null, now: ScreenFrame): void {
  const { hint, scene, token } = now
  const isRefused = hint.tone === 'danger' && hint.sentences.join() !== before?.hint.sentences.join()
  const isSameLayout = before !== null && layoutOf(before.scene) === layoutOf(scene)
  // Pressing Enter activates the key that was found while nothing was entered.
  const isFound = token !== null && before?.token !== token && root.activeElement?.id === 'key'
  if (isSameLayout && !isRefused && !isFound && root.activeElement !== null) return
  const selector = isRefused && scene.body === 'list' ? '.row input' : selectors[focusPlaceOf(now)]
  const target = root.querySelector<HTMLElement>(selector)
  target?.focus()
  if (isRefused && target instanceof HTMLInputElement) target.select()
}
