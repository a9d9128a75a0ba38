import type { Scene } from './scene.ts'
import type { ScreenFrame } from './screen-frame.ts'

/** Where the focus belongs when the screen turns to another matter. */
export type FocusPlace = 'key' | 'primary' | 'heading'

const selectors: Readonly<Record<FocusPlace, string>> = {
  key: '#key',
  primary: '.buttons .primary',
  heading: '#heading',
}

/** One name for all scenes between which the focus can stay where it is. */
export function layoutOf({ body, situation }: Scene): string {
  return body === 'form' ? body : situation.kind
}

/** Where the focus goes in a scene. A button only where pressing Enter once too often does no harm. */
export function focusPlaceOf({ body, situation }: Scene): FocusPlace {
  if (body === 'form') return 'key'
  return situation.kind === 'activated' || situation.kind === 'grace' ? 'primary' : 'heading'
}

/**
 * Puts the focus where the user goes on, after a change that moved or removed what had it.
 * The caller has made sure that the focus was in this screen.
 */
export function keepFocus(root: ShadowRoot, before: ScreenFrame | null, { scene, error }: ScreenFrame): void {
  const isRefused = error !== null && error !== before?.error
  const isSameLayout = before !== null && layoutOf(before.scene) === layoutOf(scene)
  if (isSameLayout && !isRefused && root.activeElement !== null) return
  const selector = isRefused && scene.body === 'devices' ? '.device input' : selectors[focusPlaceOf(scene)]
  const target = root.querySelector<HTMLElement>(selector)
  target?.focus()
  if (isRefused && target instanceof HTMLInputElement) target.select()
}
