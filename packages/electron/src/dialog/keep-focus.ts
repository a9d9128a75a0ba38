import type { Scene } from './scene/scene.ts'
import type { ScreenFrame } from './scene/screen-frame.ts'

/** Where the focus goes when the screen turns to another matter, as a selector. */
export const focusPlaces = {
  key: '#key',
  primary: '.actions [type=submit]',
  other: '.actions [type=button]',
  heading: '#heading',
} as const

/** One name for all scenes between which the focus can stay where it is. */
export function layoutOf({ body, situation }: Scene): string {
  return body === 'form' ? body : situation.kind
}

/** Where the focus goes in a scene. A button only where pressing Enter once too often does no harm. */
export function focusPlaceOf({ scene: { body, situation }, token, hint }: ScreenFrame): string {
  if (body === 'form') return token === null || hint.tone === 'danger' ? focusPlaces.key : focusPlaces.primary
  if (situation.kind === 'deactivate') return focusPlaces.other
  return situation.kind === 'activated' || situation.kind === 'grace'
    ? focusPlaces.primary
    : focusPlaces.heading
}

/**
 * Puts the focus where the user goes on, after a change that moved or removed what had it.
 * The caller has made sure that the focus was in this screen.
 */
export function keepFocus(root: ShadowRoot, before: ScreenFrame | null, now: ScreenFrame): void {
  const { hint, scene, token } = now
  const isRefused = hint.tone === 'danger' && hint.said !== before?.hint.said
  const isSameLayout = before !== null && layoutOf(before.scene) === layoutOf(scene)
  // Pressing Enter activates the key that was found while nothing was entered.
  const isFound = token !== null && before?.token !== token && root.activeElement?.id === 'key'
  if (isSameLayout && !isRefused && !isFound && root.activeElement !== null) return
  const selector = isRefused && scene.body === 'list' ? '.row input' : focusPlaceOf(now)
  const target = root.querySelector<HTMLElement>(selector)
  target?.focus()
  if (isRefused && target instanceof HTMLInputElement) target.select()
}
