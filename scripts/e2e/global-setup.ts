import { useRuntime } from './electron-environment.ts'
import { prepareRuntime } from './runtime/desktop.ts'

/** Prepares Electron once for all end-to-end tests. Workers find it in their environment. */
export async function setup(): Promise<void> {
  useRuntime(await prepareRuntime())
}
