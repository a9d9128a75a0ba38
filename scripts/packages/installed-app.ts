import { cp, mkdtemp, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { createPackage } from '@electron/asar'
import { installApp, type PackageManager } from './package-managers.ts'
import { runTool } from './run-tool.ts'

const templatesPath = path.join(import.meta.dirname, 'apps')

/** An app's layout: a template beside this file, or one of them in an archive. */
export const layouts = ['plain', 'bundled', 'electron-vite', 'forge-vite', 'asar'] as const
export type Layout = (typeof layouts)[number]

/** The most unusual layout: nothing bundled, everything read from an archive. */
const templateOf = (layout: Layout): string => (layout === 'asar' ? 'plain' : layout)

/** The paths of an app created by {@link makeApp}. */
export interface InstalledApp {
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
  if (layout === 'bundled' || layout === 'forge-vite') {
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
