import { cp, mkdtemp, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { createPackage } from '@electron/asar'
import { installApp, type PackageManager } from './package-managers.ts'
import { runTool } from './run-tool.ts'

const templatesPath = path.join(import.meta.dirname, 'apps')

/** How an app is laid out: a template beside this file, or one of them put into an archive. */
export const layouts = ['plain', 'bundled', 'electron-vite', 'forge-vite', 'asar'] as const
export type Layout = (typeof layouts)[number]

/** The strangest of all: nothing bundled, everything read out of an archive. */
const templateOf = (layout: Layout): string => (layout === 'asar' ? 'plain' : layout)

/** Where an app made by {@link makeApp} lies. */
export interface InstalledApp {
  /** What Electron is given: a folder or an archive. */
  readonly appPath: string
  /** Whether the package lies beside the app's code, as it was installed. */
  readonly keepsPackages: boolean
}

/**
 * Makes a throw-away app of a template: installs it as its user would, and builds it with its own tools.
 *
 * @throws Error with the output of whatever failed.
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
    // A bundle that needs what it was made of is none.
    await rm(path.join(app, 'node_modules'), { recursive: true })
    return { appPath: app, keepsPackages: false }
  }
  if (layout !== 'asar') return { appPath: app, keepsPackages: true }

  const archive = path.join(folder, `${path.basename(app)}.asar`)
  await createPackage(app, archive)
  // Nothing beside the archive may come to its help.
  await rename(app, `${app}-out-of-reach`)
  return { appPath: archive, keepsPackages: true }
}

async function buildApp(app: string): Promise<void> {
  await runTool(['npm', 'run', '--if-present', 'build'], app)
}
