import type { Emulator } from '@latchkey/emulator'
import {
  type CommandEnd,
  nodesOf,
  prepareInstalled,
  type RunningCommand,
  startInstalled,
} from '@latchkey/scripts/packages/start-installed'
import { allowConcurrentTests, onTestEnd } from '@latchkey/scripts/test/side-by-side'
import { beforeAll, describe } from 'vitest'

const nodes: readonly string[] = await nodesOf('cli')

/** The newest one. */
export const newestNode: string | undefined = nodes.at(-1)

/** Describes the installed `latchkey`, on each version of Node that it is tested on. */
export function describeLatchkey(
  tests: (node: string) => void,
  { isSkipped = false }: { readonly isSkipped?: boolean } = {},
): void {
  // A command mostly waits for its own start or for the service.
  allowConcurrentTests()
  // The first test file packs and installs. The others reuse the result.
  beforeAll(() => prepareInstalled('cli'), 180_000)
  describe.skipIf(isSkipped).concurrent.each(nodes)('latchkey, installed, on Node %s', tests)
}

/** Options of one run. */
export interface InstalledRun {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string | Uint8Array
}

/** Starts the installed `latchkey` with an emulator. It is killed after the test. */
export async function startLatchkey(
  node: string,
  { baseUrl, accessToken }: Pick<Emulator, 'baseUrl' | 'accessToken'>,
  args: readonly string[],
  { env, input }: InstalledRun = {},
): Promise<RunningCommand> {
  const running = await startInstalled({
    name: 'cli',
    node,
    args,
    env: { LATCHKEY_BASE_URL: baseUrl, LATCHKEY_ACCESS_TOKEN: accessToken ?? '', ...env },
    ...(input === undefined ? {} : { input }),
  })
  onTestEnd(() => void running.process.kill('SIGKILL'))
  return running
}

/** Runs the installed `latchkey` to its end. */
export async function latchkey(...start: Parameters<typeof startLatchkey>): Promise<CommandEnd> {
  return await (await startLatchkey(...start)).ended
}
