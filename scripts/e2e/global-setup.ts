import { prepareDesktop } from '../desktop.ts'
import { useDesktop } from './electron-environment.ts'

/** Prepares Electron and a display once for all end-to-end tests; workers find them in their environment. */
export async function setup(): Promise<() => Promise<void>> {
  const desktop = await prepareDesktop()
  useDesktop(desktop)
  return () => desktop.display.close()
}
