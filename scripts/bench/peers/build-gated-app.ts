import { cp, mkdir } from 'node:fs/promises'
import path from 'node:path'
import { build } from 'esbuild'
import { exampleAppPath } from '../../demo/stage.ts'

/**
 * Builds the notebook behind one of the `gates`. The preload script and the page are those of the example without
 * Latchkey, so that only the main process differs.
 *
 * @param peerModules the `node_modules` with the peers.
 * @returns the main file.
 */
export async function buildGatedApp(gate: string, folder: string, peerModules: string): Promise<string> {
  const mainFile = path.join(folder, 'main', 'index.cjs')
  await mkdir(folder, { recursive: true })
  for (const name of ['preload', 'renderer']) {
    await cp(path.join(exampleAppPath, 'out-bare', name), path.join(folder, name), { recursive: true })
  }
  await build({
    entryPoints: [path.join(import.meta.dirname, 'gates', `${gate}.ts`)],
    outfile: mainFile,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'cjs',
    target: 'node18.15',
    // electron-license-kit loads electron-updater only if an app uses its updates.
    external: ['electron', 'electron-updater'],
    nodePaths: [peerModules],
    legalComments: 'none',
    // A CommonJS bundle has no import.meta. The app works without it.
    logOverride: { 'empty-import-meta': 'silent' },
  })
  return mainFile
}
