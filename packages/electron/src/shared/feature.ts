import type { LicensingState } from './licensing-state.ts'

declare global {
  /**
   * Declare the features of your app here, in any `.d.ts` file. Then `licensing.has` accepts only these, in the main
   * process and in windows.
   *
   * @example
   * interface LatchkeyRegister {
   *   feature: 'export' | 'sync'
   * }
   */
  interface LatchkeyRegister {}
}

/** A feature of your app: any text, or what you declared in `LatchkeyRegister`. */
export type Feature = LatchkeyRegister extends { feature: infer Declared extends string } ? Declared : string

/** Whether this device may use a feature: it is entitled by a license that includes it. A trial includes none. */
export function hasFeature(state: LicensingState | null, feature: Feature): boolean {
  return state?.entitled === true && state.license?.features.includes(feature) === true
}
