import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { build } from 'esbuild'

const dialogFolder = path.join(import.meta.dirname, '..', 'src', 'dialog')

/** The texts of the activation window's page. */
export interface ActivationPageTexts {
  readonly html: string
  /** An ES module; the page names it `./activation-page.js`. It loads nothing further: every language is in it. */
  readonly script: string
}

/** Bundles the page of the activation window into two texts. */
export async function bundleActivationPage(): Promise<ActivationPageTexts> {
  const { outputFiles } = await build({
    entryPoints: [path.join(dialogFolder, 'activation-page.ts')],
    bundle: true,
    format: 'esm',
    // Electron 25, the oldest supported, carries Chrome 114.
    target: 'chrome114',
    minify: true,
    legalComments: 'none',
    charset: 'utf8',
    write: false,
  })
  const [script] = outputFiles
  if (script === undefined) throw new Error('esbuild wrote no script for the activation page')
  const html = await readFile(path.join(dialogFolder, 'activation-page.html'), 'utf8')
  return { html, script: script.text }
}
