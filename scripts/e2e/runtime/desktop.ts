import { type Display, hasVisibleDisplay, openDisplay } from './display.ts'
import { type ElectronRuntime, resolveElectronRuntime } from './electron-runtime.ts'
import { electronNeeds, ensureSystemPackages, virtualDisplayNeeds } from './system-packages.ts'

/** Everything needed to open an Electron window on this machine. */
export interface Desktop {
  /** Its `args` contain the switches for the runtime and the display. */
  readonly runtime: ElectronRuntime
  readonly display: Display
}

/**
 * Prepares a machine so that Electron can open windows: system libraries, a runtime, a display.
 *
 * Close `display` at the end.
 *
 * @throws Error that says what to do if something is unavailable.
 */
export async function prepareDesktop(report: (line: string) => void = console.log): Promise<Desktop> {
  const runtime = await prepareRuntime(report)
  return onDisplay(runtime, await openDisplay(report))
}

/**
 * Prepares everything of {@link prepareDesktop} except the display, for callers that open several.
 *
 * @throws Error that says what to do if something is unavailable.
 */
export async function prepareRuntime(report: (line: string) => void = console.log): Promise<ElectronRuntime> {
  // Runs apt only once for all missing packages.
  const displayNeeds = hasVisibleDisplay() ? [] : virtualDisplayNeeds
  await ensureSystemPackages([...electronNeeds, ...displayNeeds], report)
  return await resolveElectronRuntime(report)
}

/** A prepared runtime and a display for it. */
export function onDisplay(runtime: ElectronRuntime, display: Display): Desktop {
  return { runtime: { ...runtime, args: [...runtime.args, ...display.args] }, display }
}
