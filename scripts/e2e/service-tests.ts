import type { ServiceUnderTest } from './service-under-test.ts'

/** The services that long runs repeat the end-to-end tests with. `pnpm test` runs them with the commerce service. */
export const servicesOfLongRuns: readonly Pick<ServiceUnderTest, 'face' | 'isBehindGateway'>[] = [
  { face: 'dodo', isBehindGateway: false },
  { face: 'keygen', isBehindGateway: false },
  { face: 'lemon-squeezy', isBehindGateway: false },
  { face: 'polar', isBehindGateway: false },
  { face: 'commerce', isBehindGateway: true },
  { face: 'dodo', isBehindGateway: true },
  { face: 'keygen', isBehindGateway: true },
  { face: 'lemon-squeezy', isBehindGateway: true },
  { face: 'polar', isBehindGateway: true },
]

const ofExample = [
  'deactivation',
  'deep-link',
  'entered-text',
  'first-activation',
  'gateway',
  'relaunch',
  'second-start',
  'secrets',
  'service-trouble',
  'store-trouble',
  'windows',
]

const ofMainProcess = [
  'activates-without-internet',
  'adapters/storage-tiers',
  'app-events/lets-the-app-start-first',
  'guard-updates',
  'ipc/hostile-frame',
  'ipc/who-is-heard',
  'lives-and-ends',
  'moves-through-time',
  'options/every-option',
  'packed-app',
  'quitting',
  'window/activation-window',
  'window/gate',
]

/** The end-to-end tests that run with any service. */
export const testsOfAnyService: readonly string[] = [
  ...ofExample.map((name) => `examples/activation-app/test/${name}.e2e.test.ts`),
  ...ofMainProcess.map((name) => `packages/electron/test/main/${name}.e2e.test.ts`),
]

/** Why the other end-to-end tests run once: by file, or by the beginning of the path. */
export const testsOfNoService: Readonly<Record<string, string>> = {
  'examples/activation-app/test/licensing-services': 'runs with every adapter by itself',
  'examples/activation-app/test/notebook': 'starts the example without Latchkey',
  'examples/activation-app/test/services-behind-a-gateway':
    'runs with every service behind a gateway by itself',
  'examples/activation-app/test/what-the-license-covers':
    'about the example’s rule for features, which reads the commerce service’s limit of devices',
  'packages/electron/test/dialog/': 'shows the screen with a stand-in for the app, which asks no service',
  'packages/electron/test/main/window/activates-without-internet':
    'about the gateway’s page and the window, whatever the service',
  'packages/electron/test/main/adapters/commerce/': 'about the commerce service’s own format and connections',
  'packages/electron/test/main/adapters/copied-adapter': 'about an adapter of its own, with a wrong address',
  'packages/electron/test/main/adapters/moves-from-an-adapter':
    'about a move between two services of its own',
  'packages/emulator/test/live-page': 'about the emulator’s page, without an app',
  'packages/gateway/test/': 'about the gateway’s surroundings, without an app',
  'scripts/test/': 'about packaging, documentation and the tools of the tests',
}
