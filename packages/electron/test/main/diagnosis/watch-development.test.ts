import { lemonSqueezy } from '@latchkey/services/lemon-squeezy'
import { expect, test } from 'vitest'
import {
  lateWarnings,
  type RunningApp,
  secretWarnings,
} from '../../../src/main/diagnosis/watch-development.ts'

test('a secret of the vendor is warned of, and one for the emulator isn’t', () => {
  const service = { storeId: 1, productId: 2, apiKey: 'secret' }
  expect(secretWarnings(lemonSqueezy(service))).toEqual([expect.stringContaining('service contains apiKey')])
  expect(secretWarnings(lemonSqueezy({ ...service, baseUrl: 'http://127.0.0.1:4321' }))).toEqual([])
  expect(secretWarnings({ baseUrl: 'https://licensing.example.com/v1' })).toEqual([])
})

const running: RunningApp = {
  platform: 'linux',
  isUsed: true,
  hasWindow: true,
  hasSingleInstanceLock: false,
}

function warningsLater(changes: Partial<RunningApp>, deepLinkScheme?: string): readonly string[] {
  const options = { appId: 'com.example.notes', service: { baseUrl: 'https://licensing.example.com/v1' } }
  return lateWarnings({ ...options, ...(deepLinkScheme && { deepLinkScheme }) }, { ...running, ...changes })
}

test.each([
  ['an app with a window and no gate', { isUsed: false }, undefined, 'this app opens without a license'],
  ['links without a lock on Linux', {}, 'notes', 'requestSingleInstanceLock'],
  ['links without a lock on Windows', { platform: 'win32' }, 'notes', 'requestSingleInstanceLock'],
] as const)('later, %s is warned of', (_what, changes, scheme, warning) => {
  expect(warningsLater(changes, scheme)).toEqual([expect.stringContaining(warning)])
})

test.each([
  ['an app without links or a lock', {}, undefined],
  ['an app that shows no window and calls nothing', { isUsed: false, hasWindow: false }, undefined],
  ['links with a lock', { hasSingleInstanceLock: true }, 'notes'],
  ['links without a lock on macOS', { platform: 'darwin' }, 'notes'],
] as const)('later, %s is not', (_what, changes, scheme) => {
  expect(warningsLater(changes, scheme)).toEqual([])
})
