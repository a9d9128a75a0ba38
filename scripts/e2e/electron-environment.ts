import * as z from 'zod/mini'
import type { ElectronRuntime } from '../electron-runtime.ts'

const variable = 'LATCHKEY_ELECTRON'

const runtimeSchema: z.ZodMiniType<ElectronRuntime> = z.object({
  executablePath: z.string(),
  version: z.string(),
  source: z.string(),
  args: z.array(z.string()),
})

/** Hands a resolved runtime to child processes, test workers among them. */
export function electronEnvironment(runtime: ElectronRuntime): Record<string, string> {
  return { [variable]: JSON.stringify(runtime) }
}

/**
 * The runtime that {@link electronEnvironment} handed down.
 *
 * @throws Error when nobody did.
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
