import type { ElectronPorts } from '../adapters/create-ports.ts'
import type { LicensingSettings } from '../options/parse-licensing-options.ts'
import { describeEnvironment } from './describe-environment.ts'
import { readEnvironment } from './read-environment.ts'

/** Returns the support report's lines about the environment. Never rejects. */
export async function reportEnvironment(
  settings: LicensingSettings,
  ports: ElectronPorts,
): Promise<readonly string[]> {
  return describeEnvironment(await readEnvironment(settings, ports))
}
