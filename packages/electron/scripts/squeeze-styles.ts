import { readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Plugin } from 'esbuild'
import type { Rolldown } from 'tsdown'
import { em } from '../src/dialog/styles/em.ts'

const sources = /[\\/]dialog[\\/]styles[\\/][\w-]+\.ts$/

// Spaces, last semicolons, leading zeros and quotes of attributes that CSS doesn't need.
const needless =
  /(?<=[:,>/]|@media|@container) | (?=[{!>/])|;(?=\})|(?<=[ :(,-])0(?=\.)|(?<=\[[a-z-]+=)'|'(?=\])/gu

// A length that is written with `em`.
const length = /\$\{em\((-?[\d.]+)(?:, (\d+))?\)\}/gu

const folder = path.join(import.meta.dirname, '../src/dialog/styles')
const property = /--_[a-z-]+/gu
// Scripts and the activation window's page set these.
const shared = /^--_(?:accent-|mono$|top$)/u

const shortNames = new Map(
  [
    ...new Set(
      readdirSync(folder).flatMap(
        (file) => readFileSync(path.join(folder, file), 'utf8').match(property) ?? [],
      ),
    ),
  ]
    .filter((name) => !shared.test(name))
    .sort()
    .map((name, index) => [name, `--_${index.toString(36)}`]),
)

/**
 * Shortens the styles in a source, because minifiers ignore template literals: removes whitespace, computes lengths, and
 * gives private custom properties short names. Then they need no other module, so that some can be loaded on demand.
 */
export function squeezeStyles(code: string): string {
  return code.replace(/\bcss(`[^`]*`)/gu, (_, css: string) =>
    css
      .replace(length, (_, px: string, fontPx = '14') => em(Number(px), Number(fontPx)))
      .replace(/\s*\n\s*/gu, '')
      .replace(needless, '')
      .replace(property, (name) => shortNames.get(name) ?? name),
  )
}

/** For the packages' bundles. */
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
