/** Loads everything that a launch doesn't need. Rejects if an update has replaced the app's files meanwhile. */
export function loadLater(): Promise<typeof import('./later.ts')> {
  return import('./later.ts')
}
