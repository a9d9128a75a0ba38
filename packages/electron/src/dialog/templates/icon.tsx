import type { VNode } from 'preact'
import type { Badge } from '../situation/situation.ts'

// Paths in a square of 16. An arc that ends where it starts is a circle.
type IconName = Badge | 'key' | 'clipboard' | 'close' | 'error' | 'up'

const paths: Readonly<Record<IconName, string>> = {
  done: 'm3.2 8.4 3.1 3.1 6.5-7',
  offline:
    'm2.5 2.5 11 11M3.7 6.2A3.5 3.5 0 0 0 4.8 13h5.3M13.9 11a2.9 2.9 0 0 0-2.3-4.5 4.2 4.2 0 0 0-4.2-3.2',
  clock: 'M8 2a6 6 0 1 0 .01 0M8 4.8V8l2 1.4',
  warning: 'M8 3.8v5M8 12.1h0',
  stopped: 'M6 4.5v7M10 4.5v7',
  devices: 'M2.7 10.7V4.3h10.6v6.4zM6 13.3h4',
  error: 'M8 1.9a6.1 6.1 0 1 0 .01 0M8 5v3.4M8 11h0',
  key: 'M5.3 7.3a3 3 0 1 0 .01 0M7.5 8.1l5.3-5.3M10.3 5.3l2 2',
  clipboard: 'M5.5 3.2H3.6v10.6h8.8V3.2h-1.9M6 2h4v2.6H6z',
  close: 'm4.5 4.5 7 7M11.5 4.5l-7 7',
  up: 'm4 10 4-4 4 4',
}

/** An icon in the color of its text, hidden from screen readers. */
export function Icon({ name }: { readonly name: IconName }): VNode {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  )
}
