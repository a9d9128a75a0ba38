import { type Display, hasVisibleDisplay, openDisplay } from './display.ts'
import { type ElectronRuntime, resolveElectronRuntime } from './electron-runtime.ts'
import { electronNeeds, ensureSystemPackages, virtualDisplayNeeds } from './system-packages.ts'

/** Everything needed to open an Electron window on this machine. */
export interface Desktop {
  /** Its `args` hold what the runtime and the display need. */
  readonly runtime: ElectronRuntime
  readonly display: Display
}

/**
 * Brings a machine to where Electron can open windows: system libraries, a runtime, a display.
 *
 * Close `display` at the end.
 *
 * @throws Error that says what to do when something cannot be had.
 */
export async function prepareDesktop(report: (line: string) => void = console.log): Promise<Desktop> {
  const runtime = await prepareRuntime(report)
  return onDisplay(runtime, await openDisplay(report))
}

/**
 * All of {@link prepareDesktop} but the display, for whoever opens several.
 *
 * @throws Error that says what to do when something cannot be had.
 */
export async function prepareRuntime(report: (line: string) => void = console.log): Promise<ElectronRuntime> {
  // One round of apt for all there is to install.
  const displayNeeds = hasVisibleDisplay() ? [] : virtualDisplayNeeds
  await ensureSystemPackages([...electronNeeds, ...displayNeeds], report)
  return await resolveElectronRuntime(report)
}

/** A prepared runtime on a display that was opened for it. */
export function onDisplay(runtime: ElectronRuntime, display: Display): Desktop {
  return { runtime: { ...runtime, args: [...runtime.args, ...display.args] }, display }
}
