/** What `guardUpdates` checks its options against. */
export interface UpdateSettings {
  /** Whether there are leases to send. */
  readonly hasLeaseKeys: boolean
  /** Whether a license may cover some builds and not others. */
  readonly endsUpdates: boolean
  /** Logs a warning for the developer; absent in a packaged app. */
  readonly warn?: ((message: string) => void) | undefined
}

/** The key of these settings in a `Licensing`. `guardUpdates` is in a bundle of its own, so it is in the global registry. */
export const updateSettings: unique symbol = Symbol.for('latchkey.update-settings')

/** A `Licensing` that `createLicensing` created. A fake has no settings. */
export interface HasUpdateSettings {
  readonly [updateSettings]?: UpdateSettings
}
