import * as z from 'zod/mini'
import { startElectronProgram } from '../electron-program.ts'

/** What one launch cost. */
export interface Decided {
  readonly createMs: number
  readonly startMs: number
  readonly mainThreadMs: number | null
  readonly entitled: boolean
}

const decidedSchema = z.object({
  createMs: z.number(),
  startMs: z.number(),
  mainThreadMs: z.nullable(z.number()),
  entitled: z.boolean(),
})
const activatedSchema = z.object({ ok: z.boolean() })

/** The small app of this folder, bundled, with its data and its service. */
export interface StartApp {
  readonly appPath: string
  readonly userDataPath: string
  readonly env: Readonly<Record<string, string>>
}

/** Launches it on an activated device until its state is decided. */
export async function decideOnce({ appPath, userDataPath, env }: StartApp): Promise<Decided> {
  const program = startElectronProgram({ appPath, userDataPath, env: { ...env } })
  const decided = decidedSchema.parse(JSON.parse((await program.line('decided')).rest))
  await program.end()
  if (!decided.entitled) throw new Error('The device was not entitled.')
  return decided
}

/** Activates the device. */
export async function activateForStart({ appPath, userDataPath, env }: StartApp, key: string): Promise<void> {
  const program = startElectronProgram({ appPath, userDataPath, env: { ...env, BENCH_LICENSE_KEY: key } })
  const { ok } = activatedSchema.parse(JSON.parse((await program.line('activated')).rest))
  await program.end()
  if (!ok) throw new Error('The device could not be activated.')
}
