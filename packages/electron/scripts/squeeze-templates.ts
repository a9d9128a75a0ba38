import { readFile } from 'node:fs/promises'
import type { Plugin } from 'esbuild'
import type { Rolldown } from 'tsdown'

const templates = /[\\/]dialog[\\/](?:styles|templates)[\\/][\w-]+\.ts$/

// Spaces, last semicolons and leading zeros that CSS does without.
const needless = /(?<=[:,]) | (?=\{|!)| (?=>)|(?<=>) |;(?=\})|(?<=[ :(,-])0(?=\.)/gu

/** Takes out of a source what its templates carry for the reader alone: indentation, and what CSS does without. */
export function squeezeTemplates(code: string): string {
  return code
    .replace(/css`[^`]*`/gu, (css) => css.replace(/\s*\n\s*/gu, '').replace(needless, ''))
    .replace(/\n\s+(?=<|>\n)|(?<=>)\n\s+(?=\$)/gu, '')
    .replace(/\n\s+/gu, '\n')
}

/** For the packed bundles: no minifier looks into templates. */
export const squeezeWithRolldown: Rolldown.Plugin = {
  name: 'squeeze-templates',
  transform: (code, id) => (templates.test(id) ? squeezeTemplates(code) : null),
}

/** For the page of the activation window. */
export const squeezeWithEsbuild: Plugin = {
  name: 'squeeze-templates',
  setup(build) {
    build.onLoad({ filter: templates }, async ({ path }) => ({
      contents: squeezeTemplates(await readFile(path, 'utf8')),
      loader: 'ts',
    }))
  },
}
