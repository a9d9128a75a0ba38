import type { DefaultTheme } from 'vitepress'

type SidebarItem = DefaultTheme.SidebarItem

function page(text: string, name: string): SidebarItem {
  return { text, link: `/${name}` }
}

/** The sidebar of every page. */
export const sidebar: SidebarItem[] = [
  {
    text: 'Guide',
    items: [
      page('Start in ten minutes', 'start'),
      page('You sell with …', 'sell-with'),
      page('How activation works', 'how-it-works'),
      page('The activation window', 'activation-screen'),
      page('Offline and grace', 'offline'),
      page('Moving devices', 'moving-devices'),
      page('Plans, features and updates', 'plans-and-updates'),
      page('Migrating from your own check', 'migrating'),
      page('Computers that never go online', 'never-online'),
      page('Without internet: for your customers', 'never-online-for-customers'),
      page('Many computers', 'fleets'),
      page('For administrators', 'for-administrators'),
      page('For customers', 'for-customers'),
    ],
  },
  {
    text: 'Your tool chain',
    items: [
      page('electron-vite', 'tool-chains/electron-vite'),
      page('Electron Forge with Vite', 'tool-chains/forge-vite'),
      page('Electron Forge with webpack', 'tool-chains/forge-webpack'),
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
      page('Support desk', 'support-desk'),
    ],
  },
  {
    text: 'Reference',
    items: [
      page('Problem codes', 'problem-codes'),
      page('Glossary', 'glossary'),
      page('Gateway reference', 'gateway-reference'),
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
