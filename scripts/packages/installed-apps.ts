import { cp, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createPackage } from '@electron/asar'
import { runTool } from '../workspace/run-tool.ts'

const templatesPath = path.join(import.meta.dirname, 'apps')

/** An app's layout: a template beside this file, or one of them in an archive. */
export const layouts = ['plain', 'bundled', 'asar'] as const
export type Layout = (typeof layouts)[number]

/** The most unusual layout: nothing bundled, everything read from an archive. */
const templateOf = (layout: Layout): string => (layout === 'asar' ? 'plain' : layout)

/** The paths of an app created by {@link makeApp}. */
interface InstalledApp {
  /** What Electron starts: a folder or an archive. */
  readonly appPath: string
  /** Whether the package is beside the app's code, as installed. */
  readonly keepsPackages: boolean
}

/**
 * Creates a temporary app from a template: installs it like a user would, and builds it with its own tools.
 *
 * @throws Error with the output of the command that failed.
 */
export async function makeApp(
  folder: string,
  layout: Layout,
  manager: PackageManager,
  registryUrl: string,
): Promise<InstalledApp> {
  const app = await mkdtemp(path.join(folder, `${layout}-${manager}-`))
  await cp(path.join(templatesPath, templateOf(layout)), app, { recursive: true })
  await installApp(manager, app, registryUrl)
  await buildApp(app)
  if (layout === 'bundled') {
    // A bundle must work without the packages it was built from.
    await rm(path.join(app, 'node_modules'), { recursive: true })
    return { appPath: app, keepsPackages: false }
  }
  if (layout !== 'asar') return { appPath: app, keepsPackages: true }

  const archive = path.join(folder, `${path.basename(app)}.asar`)
  await createPackage(app, archive)
  // Remove everything beside the archive, so that it can't be used by mistake.
  await rename(app, `${app}-out-of-reach`)
  return { appPath: archive, keepsPackages: true }
}

async function buildApp(app: string): Promise<void> {
  await runTool(['npm', 'run', '--if-present', 'build'], app)
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
