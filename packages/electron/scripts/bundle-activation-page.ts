import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { type BuildOptions, build, type Plugin, transform } from 'esbuild'
import type { Rolldown } from 'tsdown'

const dialogFolder = path.join(import.meta.dirname, '..', 'src', 'dialog')
// Electron 25, the oldest supported, carries Chrome 114.
const target = 'chrome114'

/** What the activation window's page consists of. The page itself is composed when it is opened. */
export interface ActivationPageContent {
  /** What runs in it. */
  readonly script: string
  /** The styles of the page. Those of its element are in the script. */
  readonly styles: string
}

/** Bundles the page of the activation window. @param entry its script */
export async function bundleActivationPage(
  entry: string = path.join(dialogFolder, 'activation-page.ts'),
): Promise<ActivationPageContent> {
  const [script, styles] = await Promise.all([
    bundleText(entry, { format: 'iife', target }),
    minifiedStyles(path.join(dialogFolder, 'activation-page.css')),
  ])
  return { script, styles }
}

/** Bundles a module with all it imports into one text. */
export async function bundleText(entry: string, options: BuildOptions): Promise<string> {
  const { outputFiles } = await build({
    plugins: [stylesForEsbuild],
    ...options,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    charset: 'utf8',
    legalComments: 'eof',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    write: false,
  })
  return outputFiles.map(({ text }) => text).join('')
}

/** Imports styles as minified text, for the page. */
const stylesForEsbuild: Plugin = {
  name: 'latchkey-styles',
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => ({
      contents: await minifiedStyles(path),
      loader: 'text',
    }))
  },
}

/** Imports styles as minified text, for the package's own bundles. */
export const stylesForRolldown: Rolldown.Plugin = {
  name: 'latchkey-styles',
  resolveId(source, importer) {
    // The other name keeps tsdown from looking for a package that bundles styles.
    return source.endsWith('.css') && importer ? `${path.resolve(path.dirname(importer), source)}.text` : null
  },
  async load(id) {
    if (!id.endsWith('.css.text')) return null
    const styles = await minifiedStyles(id.slice(0, -'.text'.length))
    return { code: `export default ${JSON.stringify(styles)}`, moduleType: 'js' }
  },
}

async function minifiedStyles(file: string): Promise<string> {
  const { code } = await transform(await readFile(file, 'utf8'), { loader: 'css', minify: true, target })
  return code.trim()
}
