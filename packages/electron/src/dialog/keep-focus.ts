import type { Scene } from './scene/scene.ts'
import type { ScreenFrame } from './scene/screen-frame.ts'

/** Where the focus goes in a new situation, as a selector. */
export const focusPlaces = {
  key: '#key',
  primary: '.actions [type=submit]',
  other: '.actions [type=button]',
  heading: '#heading',
} as const

/** Scenes with the same name keep the focus where it is. */
export function layoutOf({ body, situation }: Scene): string {
  return body === 'form' ? body : situation.kind
}

/** Where the focus goes in a scene. A button only if pressing Enter once too often does no harm there. */
export function focusPlaceOf({ scene: { body, situation, focus }, token, hint }: ScreenFrame): string {
  if (focus) return focus
  if (body === 'form') return token === null || hint.tone === 'danger' ? focusPlaces.key : focusPlaces.primary
  if (situation.kind === 'deactivate') return focusPlaces.other
  return situation.kind === 'activated' || situation.kind === 'grace'
    ? focusPlaces.primary
    : focusPlaces.heading
}

/**
 * Moves the focus to where the user continues, after a change that moved or removed the focused element. Call it only
 * if the focus was in this screen.
 */
export function keepFocus(root: ShadowRoot, before: ScreenFrame | null, now: ScreenFrame): void {
  const { hint, scene, token } = now
  const isRefused = hint.tone === 'danger' && hint.said !== before?.hint.said
  const isSameLayout = before !== null && layoutOf(before.scene) === layoutOf(scene)
  // With an empty field, pressing Enter activates the key that was found.
  const isFound = token !== null && before?.token !== token && root.activeElement?.id === 'key'
  if (isSameLayout && !isRefused && !isFound && root.activeElement !== null) return
  const selector = isRefused && scene.body === 'list' ? '.row input' : focusPlaceOf(now)
  const target = root.querySelector<HTMLElement>(selector)
  target?.focus()
  if (isRefused && target instanceof HTMLInputElement) target.select()
}
