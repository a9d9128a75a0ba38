import { defineConfig, type ViteUserConfig } from 'vitest/config'
import { alias, namedTests } from './vitest.config.ts'

/** Runs these tests and no others, all in one process: nothing starts anew but what a test starts. */
export function runOnly(include: readonly string[]): ViteUserConfig {
  return defineConfig({
    resolve: { alias },
    test: {
      include: [...include],
      // It starts another program, so it covers nothing here.
      exclude: ['packages/commerce/test/http/old-runtime.test.ts'],
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
