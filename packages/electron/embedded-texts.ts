import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Rolldown } from 'tsdown'
import { bundleActivationPage, bundleText } from './scripts/bundle-activation-page.ts'
import { languages, loadStrings } from './src/dialog/strings/load-strings.ts'

const root = import.meta.dirname
const textsId = 'virtual:latchkey/embedded-texts'
const initialRenderId = 'virtual:latchkey/initial-render'

/**
 * Puts the activation window's page, its texts, the drawing of its first picture and the preload script into the main
 * bundle.
 *
 * @param preloadFile where to emit the preload as a file of its own, too
 */
export function embeddedTexts(preloadFile?: string): Rolldown.Plugin {
  return {
    name: 'latchkey-embedded-texts',
    resolveId: (id) => (id === textsId || id === initialRenderId ? `\0${id}` : null),
    async load(id) {
      if (id === `\0${initialRenderId}`) {
        // The only piece of the page that runs in the main process.
        return bundleText(inRoot('src/dialog/initial-render.ts'), {
          format: 'esm',
          platform: 'node',
          target: 'node18',
        })
      }
      if (id !== `\0${textsId}`) return null
      const preloadScript = await bundleText(inRoot('src/preload/preload.ts'), {
        format: 'cjs',
        platform: 'node',
        target: 'chrome114',
        external: ['electron'],
      })
      if (preloadFile !== undefined) {
        this.emitFile({ type: 'asset', fileName: preloadFile, source: preloadScript })
      }
      const { version } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'))
      const strings = languages.map(async (language) => [language, (await loadStrings(language)).strings])
      const { html, script } = await bundleActivationPage()
      const texts = {
        activationPageHtml: html,
        activationPageScript: script,
        activationPageStrings: Object.fromEntries(await Promise.all(strings)),
        preloadScript,
        packageVersion: version,
      }
      return Object.entries(texts)
        .map(([name, text]) => `export const ${name} = ${JSON.stringify(text)}`)
        .join('\n')
    },
  }
}

function inRoot(file: string): string {
  return path.join(root, file)
}
