import { expect, test } from 'vitest'
import {
  type DiagnosisFacts,
  describeEnvironment,
  proxyKind,
} from '../../../src/main/diagnosis/report-environment.ts'

const facts: DiagnosisFacts = {
  latchkeyVersion: '0.1.0',
  app: { id: 'com.example.notes', name: 'Notes', version: '2.3.4', isPackaged: true },
  versions: { electron: '45.4.1', chrome: '150.0', node: '24.0.0' },
  system: { platform: 'linux', version: '6.1.0', arch: 'x64' },
  locale: 'de-AT',
  service: {
    address: 'https://licensing.example.com/v1',
    hasAccessToken: false,
    leaseKeyCount: 2,
    hasOfflineActivation: true,
  },
  proxy: 'DIRECT',
  isOnline: true,
  networkError: null,
  clockAheadMs: -61_000,
  keychain: 'available, gnome_libsecret',
  deviceIdSource: 'machine-id',
}

test('the report says what support asks first', () => {
  expect(describeEnvironment(facts)).toEqual([
    'Latchkey 0.1.0, license report',
    'app: Notes 2.3.4 (com.example.notes), packaged',
    'runtime: Electron 45.4.1, Chrome 150.0, Node 24.0.0',
    'system: linux 6.1.0 x64, locale de-AT',
    'service: https://licensing.example.com/v1, access token in the app: no, lease keys: 2, activation without internet: yes',
    'network: online, proxy: none',
    'clock against the service: 61 s behind',
    'keychain: available, gnome_libsecret',
    'device ID: machine-id',
  ])
})

test('and why the last request had no answer', () => {
  expect(describeEnvironment({ ...facts, networkError: 'ERR_CERT_AUTHORITY_INVALID' })).toContain(
    'network: online, proxy: none, last request: no answer, ERR_CERT_AUTHORITY_INVALID',
  )
})

test('and shows which facts are unknown', () => {
  const lines = describeEnvironment({ ...facts, proxy: null, clockAheadMs: null, deviceIdSource: null })
  expect(lines.join('\n')).toMatch(
    /proxy: not known\nclock against the service: not known.*\n.*\ndevice ID: not looked for yet/,
  )
})

test.each([
  ['DIRECT', 'DIRECT'],
  ['PROXY proxy.corp.example:8080; DIRECT', 'PROXY'],
  ['SOCKS5 10.0.0.1:1080', 'SOCKS5'],
  ['', 'DIRECT'],
])('of the proxy in %j only the kind is told', (resolved, kind) => {
  expect(proxyKind(resolved)).toBe(kind)
})
