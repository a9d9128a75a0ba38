import path from 'node:path'
import { build } from 'esbuild'

/** Bundles the small app in a folder beside this file for the oldest supported Electron. */
export async function bundleApp(folder: string, outfile: string): Promise<void> {
  await build({
    entryPoints: [path.join(import.meta.dirname, folder, 'main.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node18.15',
    external: ['electron'],
    // A CommonJS bundle has no import.meta. The app works without it.
    logOverride: { 'empty-import-meta': 'silent' },
  })
}
