/** The first Electron with everything that is used here, `protocol.handle` above all. */
const oldestElectron = 25

/** @throws Error that says what to do, when this is not the main process of a recent Electron. */
export function checkRuntime(processType: string | undefined, electronVersion: string | undefined): void {
  if (processType !== 'browser' || electronVersion === undefined) {
    throw new Error(
      "createLicensing() belongs in Electron's main process. In a window use @latchkey/electron/renderer, in a preload script @latchkey/electron/preload.",
    )
  }
  const major = Number.parseInt(electronVersion, 10)
  if (major < oldestElectron) {
    throw new Error(
      `Latchkey needs Electron ${oldestElectron} or newer, and this is ${electronVersion}. Update the electron package of your app.`,
    )
  }
}
