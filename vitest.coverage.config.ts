import { defineConfig, type ViteUserConfig } from 'vitest/config'
import { alias } from './vitest.config.ts'

/**
 * Tests that each name one behaviour. Stories by chance, killed processes and the fault matrix are not among them:
 * what only they would notice lacks a test that says what broke.
 */
export const namedTests: { readonly core: readonly string[]; readonly commerce: readonly string[] } = {
  core: ['packages/electron/test/{core/*,main/leases,services/*}.test.ts'],
  commerce: ['packages/commerce/test/*.test.ts'],
}

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
