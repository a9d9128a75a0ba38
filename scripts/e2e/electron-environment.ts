import * as z from 'zod/mini'
import type { Desktop } from './runtime/desktop.ts'
import type { ElectronRuntime } from './runtime/electron-runtime.ts'

const variable = 'LATCHKEY_ELECTRON'

const runtimeSchema: z.ZodMiniType<ElectronRuntime> = z.object({
  executablePath: z.string(),
  version: z.string(),
  args: z.array(z.string()),
})

/** Passes a prepared desktop to this process and its children, including test workers. */
export function useDesktop({ runtime, display }: Desktop): void {
  useRuntime(runtime)
  for (const [name, value] of Object.entries(display.env)) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
}

/** Passes on a prepared runtime without a display. */
export function useRuntime(runtime: ElectronRuntime): void {
  process.env[variable] = JSON.stringify(runtime)
}

/**
 * Returns the runtime that {@link useRuntime} passed on.
 *
 * @throws Error if there is none.
 */
export function electronFromEnvironment(env: NodeJS.ProcessEnv = process.env): ElectronRuntime {
  const value = env[variable]
  if (value === undefined) {
    throw new Error(
      `${variable} is not set: run end-to-end tests through "pnpm e2e", which prepares Electron.`,
    )
  }
  return runtimeSchema.parse(JSON.parse(value))
}
