import { cliMutants } from './cli.ts'
import { dialogMutants } from './dialog.ts'
import { emulatorMutants } from './emulator.ts'
import { gatewayMutants } from './gateway.ts'
import { harnessMutants } from './harness.ts'
import { mainMutants } from './main.ts'
import type { Mutant } from './mutant.ts'
import { preloadMutants } from './preload.ts'
import { upstreamMutants } from './upstreams.ts'

/** Every list of mistakes, by the name that `pnpm mutants` takes. */
export const mutantLists: Readonly<Record<string, readonly Mutant[]>> = {
  cli: cliMutants,
  dialog: dialogMutants,
  emulator: emulatorMutants,
  gateway: gatewayMutants,
  harness: harnessMutants,
  main: mainMutants,
  preload: preloadMutants,
  upstreams: upstreamMutants,
}
