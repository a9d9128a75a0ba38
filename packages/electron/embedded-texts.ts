import { readFileSync } from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'
import type { Rolldown } from 'tsdown'

const root = import.meta.dirname
const moduleId = 'virtual:latchkey/embedded-texts'

/**
 * Bundles the activation window's page and the preload script and puts their texts into the main bundle.
 *
 * @param preloadFile where to emit the preload as a file of its own, too
 */
export function embeddedTexts(preloadFile?: string): Rolldown.Plugin {
  return {
    name: 'latchkey-embedded-texts',
    resolveId: (id) => (id === moduleId ? `\0${moduleId}` : null),
    async load(id) {
      if (id !== `\0${moduleId}`) return null
      const preloadScript = await bundle('src/preload/preload.ts', 'cjs')
      if (preloadFile !== undefined) {
        this.emitFile({ type: 'asset', fileName: preloadFile, source: preloadScript })
      }
      const { version } = JSON.parse(read('package.json'))
      const texts = {
        activationPageHtml: read('src/dialog/activation-page.html'),
        activationPageScript: await bundle('src/dialog/activation-page.ts', 'esm'),
        preloadScript,
        packageVersion: version,
      }
      return Object.entries(texts)
        .map(([name, text]) => `export const ${name} = ${JSON.stringify(text)}`)
        .join('\n')
    },
  }
}

async function bundle(entry: string, format: 'cjs' | 'esm'): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path.join(root, entry)],
    bundle: true,
    write: false,
    format,
    minify: true,
    target: 'chrome114',
    platform: format === 'cjs' ? 'node' : 'browser',
    external: ['electron'],
    // Twelve languages are smaller as they are written than as escapes.
    charset: 'utf8',
    // Lit's license asks for its notice in every copy.
    legalComments: 'eof',
  })
  return outputFiles.map((file) => file.text).join('')
}

function read(file: string): string {
  return readFileSync(path.join(root, file), 'utf8')
}
