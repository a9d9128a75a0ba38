import type { DefaultTheme } from 'vitepress'

type SidebarItem = DefaultTheme.SidebarItem

function page(text: string, name: string): SidebarItem {
  return { text, link: `/${name}` }
}

/** The API pages of one module: see docs/api-entries. */
function api(text: string, folder: string, names: readonly string[]): SidebarItem {
  const items = names.map((name) => page(name.replaceAll('-', ' '), `api/${folder}/${name}`))
  return { text, collapsed: true, items }
}

/** The sidebar of the guide and the reference. */
const guide: SidebarItem[] = [
  {
    text: 'Start',
    items: [
      page('Start in ten minutes', 'start'),
      page('You sell with …', 'sell-with'),
      page('electron-vite', 'tool-chains/electron-vite'),
      page('Electron Forge with Vite', 'tool-chains/forge-vite'),
      page('Electron Forge with webpack', 'tool-chains/forge-webpack'),
      page('Migrating from your own check', 'migrating'),
    ],
  },
  {
    text: 'Your app',
    items: [
      page('How activation works', 'how-it-works'),
      page('The activation window', 'activation-screen'),
      page('Offline and grace', 'offline'),
      page('Moving devices', 'moving-devices'),
      page('Plans, features and updates', 'plans-and-updates'),
      page('Computers that never go online', 'never-online'),
      page('Many computers', 'fleets'),
    ],
  },
  {
    text: 'Licensing services',
    items: [
      page('Overview', 'services/'),
      page('Keygen', 'services/keygen'),
      page('Lemon Squeezy', 'services/lemon-squeezy'),
      page('Polar', 'services/polar'),
      page('Dodo Payments', 'services/dodo'),
      page('You have no licensing service', 'no-licensing-service'),
    ],
  },
  {
    text: 'In production',
    items: [
      page('Testing your app', 'testing'),
      page('Going to production', 'production'),
      page('Hosting the gateway', 'hosting-the-gateway'),
      page('Packaging your app', 'packaging'),
      page('Security model', 'security'),
    ],
  },
  {
    text: 'To hand out',
    items: [
      page('For customers', 'for-customers'),
      page('For customers without internet', 'never-online-for-customers'),
      page('For administrators', 'for-administrators'),
      page('For the support desk', 'support-desk'),
    ],
  },
  {
    text: 'Reference',
    items: [
      page('Problem codes', 'problem-codes'),
      page('Glossary', 'glossary'),
      page('Gateway reference', 'gateway-reference'),
      page('Gateway routes', 'gateway-routes'),
      page('Format of signed license keys', 'license-key-format'),
      page('API', 'api/'),
      page('@latchkey/electron', 'packages/electron'),
      page('@latchkey/commerce', 'packages/commerce'),
      page('@latchkey/services', 'packages/services'),
      page('@latchkey/gateway', 'packages/gateway'),
      page('@latchkey/emulator', 'packages/emulator'),
      page('@latchkey/cli', 'packages/cli'),
    ],
  },
  {
    text: 'Background',
    items: [page('Comparison with alternatives', 'comparison'), page('Benchmarks', 'benchmarks')],
  },
]

/** The sidebar of the API reference. */
const reference: SidebarItem[] = [
  {
    text: 'API reference',
    link: '/api/',
    items: [
      api('electron/main', 'electron/main', [
        ...['options', 'more-options', 'window', 'licensing', 'state', 'results', 'problems'],
      ]),
      page('electron/preload', 'api/electron/preload'),
      api('electron/renderer', 'electron/renderer', ['client', 'state', 'results', 'errors', 'bridge']),
      page('electron/dialog', 'api/electron/dialog'),
      page('electron/updates', 'api/electron/updates'),
      api('electron/testing', 'electron/testing', ['fakes', 'state', 'outcomes', 'licensing', 'client']),
      api('services', 'services', [
        ...['keygen', 'lemon-squeezy', 'polar', 'dodo', 'commerce', 'signed-keys', 'issue'],
        ...['adapter', 'requests', 'answers', 'license', 'license-keys'],
      ]),
      api('gateway', 'gateway', [
        'options',
        'more-options',
        'limits',
        'log',
        'leases',
        'moves',
        'node',
        'issuer',
      ]),
      api('commerce', 'commerce', ['client', 'licenses', 'lists', 'catalog', 'helpers', 'errors']),
      api('emulator', 'emulator', ['start', 'control', 'licenses', 'faults', 'data']),
    ],
  },
]

/** The sidebars by the folder of their pages. */
export const sidebar: DefaultTheme.SidebarMulti = { '/api/': reference, '/': guide }
