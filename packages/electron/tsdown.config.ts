import { readFileSync } from 'node:fs'
import path from 'node:path'
import { thirdPartyLicenses } from '@latchkey/scripts/packages/third-party-licenses'
import { defineConfig, type Rolldown, type UserConfig } from 'tsdown'
import { embeddedTexts } from './embedded-texts.ts'
import { stylesForRolldown } from './scripts/bundle-activation-page.ts'

const shared: UserConfig = {
  target: ['chrome114', 'node18'],
  dts: { oxc: true },
  fixedExtension: false,
  logLevel: 'warn',
  // On a busy machine everything is slow.
  checks: { pluginTimings: false },
}

/**
 * Leaves the JSON schema validator of electron-store out. Only its `schema` option needs it, and loading it takes longer
 * than the rest.
 */
const noSchemaOption: Rolldown.Plugin = {
  name: 'latchkey-no-schema-option',
  resolveId: (id) => (/^ajv(?:-formats$|\/)/u.test(id) ? `\0no-${id}` : null),
  load: (id) => (id.startsWith('\0no-ajv') ? 'export default {}; export const Ajv2020 = undefined' : null),
}

/** Loads the English texts as a module, so that their keys are in the declarations, too. */
const textsAsModule: Rolldown.Plugin = {
  name: 'latchkey-texts-as-module',
  load: (id) =>
    id.endsWith('/texts/en.json') || id.endsWith('\\texts\\en.json')
      ? { code: `export default ${readFileSync(id, 'utf8')}`, moduleType: 'ts' }
      : null,
}

/** Packages inside the texts of {@link embeddedTexts}. */
const inTexts = {
  '\0virtual:latchkey/activation-page': ['preact', 'qr'].map((name) =>
    path.join(import.meta.dirname, 'node_modules', name),
  ),
}

const forModules: UserConfig = {
  ...shared,
  platform: 'neutral',
  deps: {
    neverBundle: /^node:/u,
    alwaysBundle: [/^@latchkey\/(?:commerce|services$|services\/license-key)/u],
  },
}

const main: UserConfig = {
  ...forModules,
  deps: { neverBundle: /^node:/u },
  entry: { main: 'src/main/index.ts' },
  clean: false,
  plugins: [embeddedTexts('preload.cjs'), stylesForRolldown, textsAsModule],
}

const modules: UserConfig = {
  ...forModules,
  entry: {
    index: 'src/index.ts',
    preload: 'src/preload/index.ts',
    renderer: 'src/renderer/index.ts',
    dialog: 'src/dialog/index.ts',
    testing: 'src/testing/index.ts',
    updates: 'src/main/guard-updates.ts',
  },
  // A bundler adds a hash of its own.
  outputOptions: { chunkFileNames: '[name].js' },
  plugins: [embeddedTexts('preload.cjs'), stylesForRolldown, textsAsModule],
}

/**
 * For `require`: what runs before a bundler or without one. Everything but Electron is inside, because most of it is
 * ES modules, and an Electron before 35 cannot `require` those.
 *
 * @param codeSplitting whether what is loaded on demand goes into files of its own. A preload script has to be one file.
 */
function commonJs(name: string, entry: string, codeSplitting = false): UserConfig {
  return {
    ...shared,
    entry: { [name]: entry },
    outDir: 'dist/commonjs',
    format: 'cjs',
    platform: 'node',
    clean: false,
    deps: {
      neverBundle: ['electron'],
      alwaysBundle: /^(?!electron$|node:)/u,
      dts: { neverBundle: ['electron'], alwaysBundle: ['@latchkey/commerce', '@latchkey/services'] },
    },
    outputOptions: codeSplitting ? { chunkFileNames: '[name]-[hash].cjs' } : { codeSplitting },
    // Smaller, and stack traces still name what they pass through.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    plugins: [noSchemaOption, embeddedTexts(), thirdPartyLicenses('third-party-licenses.txt', inTexts)],
    inputOptions: (options) => ({ ...options, plugins: [textsAsModule, options.plugins] }),
  }
}

const config: UserConfig[] = defineConfig([
  modules,
  main,
  commonJs('index', 'src/index.ts'),
  commonJs('main', 'src/main/index.ts', true),
  commonJs('preload', 'src/preload/index.ts'),
  commonJs('testing', 'src/testing/index.ts'),
  commonJs('updates', 'src/main/guard-updates.ts', true),
])

export default config
