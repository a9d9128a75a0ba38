import type { ActivationWindowOptions } from './licensing-options.ts'

/** Merges one window's options into the app's. Links and strings are merged, all other options are replaced. */
export function mergeWindowOptions(
  base: ActivationWindowOptions,
  own: ActivationWindowOptions,
): ActivationWindowOptions {
  return {
    ...base,
    ...own,
    links: { ...base.links, ...own.links },
    strings: { ...base.strings, ...own.strings },
  }
}
