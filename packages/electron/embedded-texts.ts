import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Rolldown } from 'tsdown'
import { bundleActivationPage, bundleText } from './scripts/bundle-activation-page.ts'

const root = import.meta.dirname
const prefix = 'virtual:latchkey/'

/**
 * Puts the activation window's page and the preload script into the main bundle, each as a module of its own.
 *
 * @param preloadFile where to emit the preload as a file of its own, too
 */
export function embeddedTexts(preloadFile?: string): Rolldown.Plugin {
  const modules: Readonly<Record<string, (emit: Emit) => Promise<string> | string>> = {
    async 'preload-script'(emit) {
      const preloadScript = await bundleText(inRoot('src/preload/preload.ts'), {
        format: 'cjs',
        platform: 'node',
        target: 'chrome114',
        external: ['electron'],
      })
      if (preloadFile !== undefined) emit(preloadFile, preloadScript)
      return exportTexts({ preloadScript })
    },
    async 'activation-page'() {
      return exportTexts({ ...(await bundleActivationPage()) })
    },
    package() {
      const { version } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'))
      return exportTexts({ packageVersion: version })
    },
  }
  return {
    name: 'latchkey-embedded-texts',
    resolveId: (id) => (id.startsWith(prefix) ? `\0${id}` : null),
    async load(id) {
      const name = id.startsWith(`\0${prefix}`) ? id.slice(prefix.length + 1) : ''
      const emit: Emit = (fileName, source) => this.emitFile({ type: 'asset', fileName, source })
      return (await modules[name]?.(emit)) ?? null
    },
  }
}

type Emit = (fileName: string, source: string) => void

function exportTexts(texts: Readonly<Record<string, string>>): string {
  return Object.entries(texts)
    .map(([name, text]) => `export const ${name} = ${JSON.stringify(text)}`)
    .join('\n')
}

function inRoot(file: string): string {
  return path.join(root, file)
}
