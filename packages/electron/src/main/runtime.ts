/** The oldest Electron version with all the APIs used here, most notably `protocol.handle`. */
const oldestElectron = 25

/** @throws Error that says what to do, if this isn't the main process of a recent Electron. */
export function checkRuntime(processType: string | undefined, electronVersion: string | undefined): void {
  if (processType !== 'browser' || electronVersion === undefined) {
    throw new Error(
      "createLicensing() belongs in Electron's main process. In a window, use @latchkey/electron/renderer; in a preload script, use @latchkey/electron/preload.",
    )
  }
  const major = Number.parseInt(electronVersion, 10)
  if (major < oldestElectron) {
    throw new Error(
      `Latchkey needs Electron ${oldestElectron} or newer, but this is ${electronVersion}. Update the electron package of your app.`,
    )
  }
}
