import { defineConfig, type ViteUserConfig } from 'vitest/config'
import { alias } from './vitest.config.ts'

/** The tests that Stryker repeats for each mutant: those without Electron, child processes and random histories. */
const config: ViteUserConfig = defineConfig({
  resolve: { alias },
  test: {
    include: ['packages/{commerce,services}/test/**/*.test.ts', 'packages/electron/test/core/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'packages/electron/test/core/{matrix,process,properties}/**'],
    isolate: false,
    pool: 'forks',
    testTimeout: 120_000,
  },
})

export default config
