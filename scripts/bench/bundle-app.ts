import path from 'node:path'
import { build } from 'esbuild'

/** Bundles the little app in a folder beside this file for the oldest Electron there is a promise for. */
export async function bundleApp(folder: string, outfile: string): Promise<void> {
  await build({
    entryPoints: [path.join(import.meta.dirname, folder, 'main.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node18.15',
    external: ['electron'],
    // Bundled as CommonJS there is no import.meta; the app does without it.
    logOverride: { 'empty-import-meta': 'silent' },
  })
}
