import { defineConfig, type ViteUserConfig } from 'vitest/config'
import { alias, namedTests } from './vitest.config.ts'

/** Runs these tests and no others, all in one process: nothing starts anew but what a test starts. */
export function runOnly(include: readonly string[]): ViteUserConfig {
  return defineConfig({
    resolve: { alias },
    test: {
      include: [...include],
      // They start a compiler or another program, and say nothing of a branch.
      exclude: ['packages/commerce/test/{readme,old-runtime}.test.ts'],
      isolate: false,
      pool: 'forks',
      testTimeout: 120_000,
      coverage: {
        include: ['packages/electron/src/core/**/*.ts'],
        reporter: [['text', { skipFull: true }]],
        thresholds: { 100: true },
      },
    },
  })
}

const config: ViteUserConfig = runOnly(namedTests.core)

export default config
