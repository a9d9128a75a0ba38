import { cp, mkdtemp, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createPackage } from '@electron/asar'
import { runTool } from '../workspace/run-tool.ts'

/** How an app is laid out: as a folder, or in an archive. Nothing is bundled. */
export const layouts = ['plain', 'asar'] as const

/**
 * Creates a temporary app and installs it like a user would.
 *
 * @returns what Electron starts: a folder or an archive.
 * @throws Error with the output of the command that failed.
 */
export async function makeApp(
  folder: string,
  layout: (typeof layouts)[number],
  manager: PackageManager,
  registryUrl: string,
): Promise<string> {
  const app = await mkdtemp(path.join(folder, `${layout}-${manager}-`))
  await cp(path.join(import.meta.dirname, 'installed-app'), app, { recursive: true })
  await installApp(manager, app, registryUrl)
  if (layout === 'plain') return app
  const archive = path.join(folder, `${path.basename(app)}.asar`)
  await createPackage(app, archive)
  // Remove everything beside the archive, so that it can't be used by mistake.
  await rename(app, `${app}-removed`)
  return archive
}

/** What installs an app's dependencies. */
export type PackageManager = 'npm' | 'pnpm' | 'yarn'

const pinnedYarn = '@yarnpkg/cli-dist@4.18.1'

/**
 * Installs an app's dependencies, ours from a local registry and all others from the configured one.
 *
 * Strict about peer dependencies: warnings of the manager are failures here.
 *
 * @throws Error with the manager's output if it fails or complains about peer dependencies.
 */
async function installApp(manager: PackageManager, folder: string, registryUrl: string): Promise<void> {
  await configure(manager, folder, registryUrl)
  const { stdout, stderr } = await runTool(commandOf(manager), folder)
  const complaints = `${stdout}\n${stderr}`
    .split('\n')
    .filter((line) => /peer/iu.test(line) && line.includes('@latchkey/'))
  if (complaints.length > 0) throw new Error(`${manager} complains:\n${complaints.join('\n')}`)
}

function commandOf(manager: PackageManager): readonly string[] {
  switch (manager) {
    case 'npm':
      return ['npm', 'install', '--no-audit', '--no-fund', '--strict-peer-deps', '--prefer-offline']
    case 'pnpm':
      return ['pnpm', 'install', '--prefer-offline', '--no-frozen-lockfile']
    case 'yarn':
      return ['npx', '--yes', '--package', pinnedYarn, '--', 'yarn', 'install', '--no-immutable']
  }
}

async function configure(manager: PackageManager, folder: string, registryUrl: string): Promise<void> {
  if (manager !== 'yarn') await writeFile(path.join(folder, '.npmrc'), `@latchkey:registry=${registryUrl}\n`)
  if (manager === 'pnpm') {
    const settings = { strictPeerDependencies: true, allowBuilds: { esbuild: false } }
    await writeFile(path.join(folder, 'pnpm-workspace.yaml'), JSON.stringify(settings))
  }
  if (manager === 'yarn') {
    // Without its own lockfile, Yarn treats the folder as part of a project in a parent folder.
    await writeFile(path.join(folder, 'yarn.lock'), '')
    const settings = {
      nodeLinker: 'node-modules',
      enableTelemetry: false,
      enableScripts: false,
      unsafeHttpWhitelist: ['127.0.0.1', 'localhost'],
      // Yarn doesn't read npm's configuration.
      npmRegistryServer: (await runTool(['npm', 'config', 'get', 'registry'], folder)).stdout.trim(),
      npmScopes: { latchkey: { npmRegistryServer: registryUrl } },
    }
    await writeFile(path.join(folder, '.yarnrc.yml'), JSON.stringify(settings))
  }
}
