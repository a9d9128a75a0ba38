import type { TestProject } from 'vitest/node'
import { prepareDesktop } from '../desktop.ts'
import { electronEnvironment } from './electron-environment.ts'

/** Prepares Electron and a display once for all end-to-end tests; workers find them in their environment. */
export async function setup(_project: TestProject): Promise<() => Promise<void>> {
  const { runtime, display } = await prepareDesktop()
  const handedDown = { ...display.env, ...electronEnvironment(runtime) }
  for (const [name, value] of Object.entries(handedDown)) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
  return async () => {
    await display.close()
  }
}
