import { lemonSqueezy } from '@latchkey/services/lemon-squeezy'
import { expect, test } from 'vitest'
import {
  developmentWarnings,
  lateWarnings,
  type RunningApp,
} from '../../../src/main/diagnosis/development-warnings.ts'
import type { LicensingOptions } from '../../../src/main/options/licensing-options.ts'

const build = { releasedAt: '2026-03-01T10:00:00Z' }
const offline = (url: string | URL): Partial<LicensingOptions> => ({ offlineActivation: { url } })

const withSecret = (baseUrl?: string): Partial<LicensingOptions> => ({
  service: lemonSqueezy({ storeId: 1, productId: 2, apiKey: 'secret', ...(baseUrl && { baseUrl }) }),
})

const withOption = (name: string): Partial<LicensingOptions> => ({
  service: Object.assign(lemonSqueezy({ storeId: 1, productId: 2 }), { [name]: 1000 }),
})

function warnings(options: Partial<LicensingOptions>, isReady = false): readonly string[] {
  const service = { baseUrl: 'https://licensing.example.com/v1' }
  return developmentWarnings({ appId: 'com.example.notes', service, ...options }, { isReady })
}

test.each([
  ['a build without expiry', { build }, false, 'build.releasedAt has no effect'],
  ['the address of the gateway', offline('https://example.com/v1'), false, '/offline'],
  ['a slash behind the page', offline('https://example.com/v1/offline/'), false, '/offline'],
  [
    'the page without the gateway’s base path',
    offline('https://licensing.example.com/offline'),
    false,
    'https://licensing.example.com/v1/offline',
  ],
  ['another page', offline(new URL('https://example.com/offline-page')), false, '/offline'],
  ['a secret of the vendor', withSecret(), false, 'service contains apiKey'],
  [
    'a timeout of a copied adapter',
    withOption('timeout'),
    false,
    'service.timeout is an option for an address',
  ],
  [
    'headers of a copied adapter',
    withOption('headers'),
    false,
    'ignores it beside the adapter lemon-squeezy',
  ],
  ...['#0a7c6680', '#0a78', 'rgba(0, 80, 160, 0.5)', 'rgb(0 80 160 / 50%)', 'transparent'].map(
    (accent) =>
      [`the accent ${accent}`, { window: { accent } }, false, 'window.accent is transparent'] as const,
  ),
  ['links after the app was ready', { deepLinkScheme: 'notes' }, true, 'On macOS, the link'],
] as const)('%s is warned of', (_what, options, isReady, warning) => {
  expect(warnings(options, isReady)).toEqual([expect.stringContaining(warning)])
})

test.each([
  ['no options', {}, true],
  ['another field of an adapter', withOption('retries'), false],
  ['a secret for the emulator', withSecret('http://127.0.0.1:4321'), false],
  ['a build whose license ends updates', { build, expiry: 'updates' }, false],
  ['a build whose license locks on purpose', { build, expiry: 'lock' }, false],
  ['the page below the gateway’s base path', offline('https://licensing.example.com/v1/offline'), false],
  ['the page of a gateway', offline('https://example.com/v1/offline'), false],
  ['the page with a query', offline(new URL('https://example.com/offline?lang=de')), false],
  ...['#0a7c66', '#0a7', '#0a7c66ff', '#0a7f', 'rgba(0, 80, 160, 1)', 'rgb(0 80 160 / 100%)', 'teal'].map(
    (accent) => [`the accent ${accent}`, { window: { accent } }, false] as const,
  ),
  ['links before the app is ready', { deepLinkScheme: 'notes' }, false],
] as const)('%s is not', (_what, options, isReady) => {
  expect(warnings(options, isReady)).toEqual([])
})

const running: RunningApp = {
  platform: 'linux',
  isUsed: true,
  isRead: false,
  hasWindow: true,
  hasSingleInstanceLock: false,
}

function warningsLater(changes: Partial<RunningApp>, deepLinkScheme?: string): readonly string[] {
  const options = { appId: 'com.example.notes', service: { baseUrl: 'https://licensing.example.com/v1' } }
  return lateWarnings({ ...options, ...(deepLinkScheme && { deepLinkScheme }) }, { ...running, ...changes })
}

test.each([
  [
    'an app with a window whose main process calls nothing',
    { isUsed: false },
    undefined,
    'this app opens without a license',
  ],
  [
    'an app with a window whose main process only reads the state',
    { isUsed: false, isRead: true },
    undefined,
    'this app opens without a license',
  ],
  [
    'an app that decides by a state that nothing has started',
    { isUsed: false, isRead: true, hasWindow: false },
    undefined,
    'Until then, the state is unlicensed on every device',
  ],
  ['links without a lock on Linux', {}, 'notes', 'requestSingleInstanceLock'],
  ['links without a lock on Windows', { platform: 'win32' }, 'notes', 'requestSingleInstanceLock'],
] as const)('later, %s is warned of', (_what, changes, scheme, warning) => {
  expect(warningsLater(changes, scheme)).toEqual([expect.stringContaining(warning)])
})

test.each([
  ['an app without links or a lock', {}, undefined],
  ['an app that reads the state and has called gate()', { isRead: true, hasWindow: false }, undefined],
  ['an app that shows no window and calls nothing', { isUsed: false, hasWindow: false }, undefined],
  ['links with a lock', { hasSingleInstanceLock: true }, 'notes'],
  ['links without a lock on macOS', { platform: 'darwin' }, 'notes'],
] as const)('later, %s is not', (_what, changes, scheme) => {
  expect(warningsLater(changes, scheme)).toEqual([])
})
