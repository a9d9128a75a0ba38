import type { ActivationWindowOptions } from './licensing-options.ts'

/** One window's options on top of the app's: links and strings add up, everything else is replaced. */
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
