import { existsSync } from 'node:fs'
import path from 'node:path'
import { defineConfig, type ViteUserConfig } from 'vitest/config'

/** Tests run on the packages' sources, so no stale build can pass for the code at hand. */
const sources = ['commerce', 'services', 'emulator', 'gateway', 'cli']
  .map((name) => ({ name, entry: path.join(import.meta.dirname, 'packages', name, 'src', 'index.ts') }))
  .filter(({ entry }) => existsSync(entry))
export const alias: readonly { readonly find: RegExp; readonly replacement: string }[] = [
  ...sources.map(({ name, entry }) => ({ find: new RegExp(`^@latchkey/${name}$`), replacement: entry })),
  {
    find: /^@latchkey\/commerce\/(client|http|options|schemas)$/,
    replacement: path.join(import.meta.dirname, 'packages/commerce/src/$1.ts'),
  },
  {
    find: /^@latchkey\/scripts\/(.+)$/,
    replacement: path.join(import.meta.dirname, 'scripts/$1.ts'),
  },
  {
    find: /^@latchkey\/services\/([\w-]+)$/,
    replacement: path.join(import.meta.dirname, 'packages/services/src/$1.ts'),
  },
]

/** What a test waits for may take long on a busy machine; a second, the default, is too short. */
const patient = { poll: { timeout: 60_000 } }

const isLongRun = process.env['LATCHKEY_LONG'] === '1'

/** What unit tests have in common. */
const unitTests: NonNullable<ViteUserConfig['test']> = {
  expect: patient,
  // A test file costs no new process and no second import of what it tests, so each cleans up after itself.
  isolate: false,
  pool: 'forks',
  // electron-store imports Electron. In plain Node that is the path of its binary, which need not be downloaded.
  env: { ELECTRON_OVERRIDE_DIST_PATH: '/nowhere' },
  restoreMocks: true,
  unstubEnvs: true,
  unstubGlobals: true,
  // By default a machine with two cores gets one worker, and tests wait for child processes much of the time.
  // Conformance tests against a service of your own share one license: two files at a time would take each other's seats.
  maxWorkers: process.env['LATCHKEY_CONFORMANCE_URL'] === undefined ? 3 : 1,
  testTimeout: isLongRun ? 3_600_000 : 120_000,
}

/** What end-to-end tests have in common. */
const electronTests: NonNullable<ViteUserConfig['test']> = {
  expect: patient,
  globalSetup: ['scripts/e2e/global-setup.ts'],
  setupFiles: ['scripts/e2e/worker-display.ts'],
  // As with unit tests: starting a process for every file would cost more than some of the tests.
  isolate: false,
  pool: 'forks',
  restoreMocks: true,
  // Each test starts a whole browser. Beside the unit tests, two at a time keep a small machine busy; more slow each other.
  maxWorkers: 2,
  sequence: { groupOrder: 1 },
  testTimeout: isLongRun ? 3_600_000 : 120_000,
  hookTimeout: 120_000,
}

/** The services that long runs repeat the end-to-end tests with, each in the app and behind a gateway. */
const servicesOfLongRuns = ['dodo', 'keygen', 'lemon-squeezy', 'polar', 'commerce'].flatMap((face) => [
  { face, isBehindGateway: true },
  ...(face === 'commerce' ? [] : [{ face, isBehindGateway: false }]),
])

/** End-to-end tests that choose their service themselves, or ask none. */
const withoutServiceUnderTest = [
  'examples/activation-app/test/{licensing-services,notebook,roll-out}.e2e.test.ts',
  // The example's rule for features reads the commerce service's limit of devices.
  'examples/activation-app/test/what-the-license-covers.e2e.test.ts',
  'packages/electron/test/main/adapters/commerce/**/*.e2e.test.ts',
]

/** Installing the tool chains of generated apps takes minutes, and a rollout starts an app twenty times. */
const onlyInLongRuns = isLongRun
  ? []
  : ['scripts/test/generated-apps.e2e.test.ts', 'examples/activation-app/test/roll-out.e2e.test.ts']

const config: ViteUserConfig = defineConfig({
  test: {
    // Nothing in here is allowed to be flaky: a second try would only hide it.
    retry: 0,
    coverage: { include: ['packages/*/src/**/*.ts'], reporter: [['text', { skipFull: true }], 'html'] },
    projects: [
      {
        resolve: { alias },
        test: {
          ...unitTests,
          name: 'unit',
          include: [
            'packages/*/test/**/*.test.ts',
            'examples/*/test/**/*.test.ts',
            'scripts/test/**/*.test.ts',
          ],
          exclude: ['**/node_modules/**', '**/*.e2e.test.ts'],
        },
      },
      {
        resolve: { alias },
        test: {
          ...electronTests,
          name: 'e2e',
          include: ['{packages,examples}/*/test/**/*.e2e.test.ts', 'scripts/test/**/*.e2e.test.ts'],
          exclude: ['**/node_modules/**', ...onlyInLongRuns],
        },
      },
      // Long runs repeat the end-to-end tests with every other service, one service after another.
      ...(isLongRun ? servicesOfLongRuns : []).map(({ face, isBehindGateway }, index) => ({
        resolve: { alias },
        test: {
          ...electronTests,
          name: `e2e with ${face}${isBehindGateway ? ' behind a gateway' : ''}`,
          include: [
            'examples/activation-app/test/**/*.e2e.test.ts',
            'packages/electron/test/main/**/*.e2e.test.ts',
          ],
          exclude: ['**/node_modules/**', ...withoutServiceUnderTest],
          env: { LATCHKEY_FACE: face, LATCHKEY_BEHIND_GATEWAY: isBehindGateway ? '1' : '0' },
          sequence: { groupOrder: 2 + index },
        },
      })),
    ],
  },
})

export default config
