import { readFile } from 'node:fs/promises'
import type { Plugin } from 'esbuild'
import type { Rolldown } from 'tsdown'

const sources = /[\\/]dialog[\\/]styles[\\/][\w-]+\.ts$/

// Spaces, last semicolons and leading zeros that CSS does without.
const needless = /(?<=[:,]) | (?=\{|!)| (?=>)|(?<=>) |;(?=\})|(?<=[ :(,-])0(?=\.)/gu

/** Takes out of a source what its styles carry for the reader alone: no minifier looks into template literals. */
export function squeezeStyles(code: string): string {
  return code.replace(/css`[^`]*`/gu, (css) => css.replace(/\s*\n\s*/gu, '').replace(needless, ''))
}

/** For the packed bundles. */
export const squeezeWithRolldown: Rolldown.Plugin = {
  name: 'squeeze-styles',
  transform: (code, id) => (sources.test(id) ? squeezeStyles(code) : null),
}

/** For the page of the activation window. */
export const squeezeWithEsbuild: Plugin = {
  name: 'squeeze-styles',
  setup(build) {
    build.onLoad({ filter: sources }, async ({ path }) => ({
      contents: squeezeStyles(await readFile(path, 'utf8')),
      loader: 'ts',
    }))
  },
}
