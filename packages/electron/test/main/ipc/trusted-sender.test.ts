import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import {
  devServerOrigin,
  isTrustedSender,
  originOf,
  type SenderFacts,
  type TrustRules,
} from '../../../src/main/ipc/trusted-sender.ts'

const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'latchkey-trust-')))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const appPath = path.join(root, 'app')
const own = path.join(appPath, 'dist', 'index.html')
const foreign = path.join(root, 'app-evil', 'index.html')
for (const file of [own, foreign, path.join(root, 'index.html'), path.join(appPath, 'dist', 'a b#ü.html')]) {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, '')
}
symlinkSync(foreign, path.join(appPath, 'link-out.html'))
symlinkSync(appPath, path.join(root, 'link-in'))

const activationPageUrl = 'https://activation.latchkey.invalid/'
const rules: TrustRules = {
  appPath,
  origins: ['app://notes', 'http://localhost:5173', 'https://ui.example.com'],
  platform: 'linux',
  realPath: (file) => realpathSync.native(file),
}
const windows: TrustRules = {
  ...rules,
  appPath: 'C:\\Program Files\\Notes\\resources\\app.asar',
  platform: 'win32',
  realPath: (file) => file,
}
const share: TrustRules = { ...windows, appPath: '\\\\files\\apps\\Notes\\resources\\app' }

function trusts(url: string | null, facts: Partial<SenderFacts> = {}, under: TrustRules = rules): boolean {
  const sender = { url, isMainFrame: true, isWebview: false, isActivationWindow: false, ...facts }
  return isTrustedSender(sender, under)
}

const fileUrl = (file: string): string => pathToFileURL(file).href

describe('the app’s own files are trusted', () => {
  test.each([
    ['a page of the app', fileUrl(own)],
    ['with a query and a fragment', `${fileUrl(own)}?a=1#/settings`],
    ['with spaces, # and umlauts in its name', fileUrl(path.join(appPath, 'dist', 'a b#ü.html'))],
    ['with dots that stay inside', `${fileUrl(appPath)}/dist/../dist/./index.html`],
    ['with the host written out', fileUrl(own).replace('file:///', 'file://localhost/')],
    ['through a link to the app’s folder', fileUrl(path.join(root, 'link-in', 'dist', 'index.html'))],
  ])('%s', (_what, url) => {
    expect(trusts(url)).toBe(true)
  })

  test('when the app’s own path is a link', () => {
    expect(trusts(fileUrl(own), {}, { ...rules, appPath: path.join(root, 'link-in') })).toBe(true)
  })

  test.each([
    ['on Windows', 'file:///C:/Program%20Files/Notes/resources/app.asar/dist/index.html', windows],
    [
      'on Windows in other letters',
      'file:///c:/program%20files/notes/resources/APP.ASAR/dist/index.html',
      windows,
    ],
    ['on the share the app was started from', 'file://files/apps/Notes/resources/app/dist/index.html', share],
  ])('%s', (_what, url, under) => {
    expect(trusts(url, {}, under)).toBe(true)
  })
})

describe('other files are not', () => {
  test.each([
    ['a file beside the app', fileUrl(path.join(root, 'index.html'))],
    ['a folder whose name begins like the app’s', fileUrl(foreign)],
    ['the app’s folder itself', fileUrl(appPath)],
    ['dots that lead out', `${fileUrl(appPath)}/../index.html`],
    ['encoded dots that lead out', `${fileUrl(appPath)}/%2e%2e/index.html`],
    ['half encoded dots', `${fileUrl(appPath)}/dist/.%2e/.%2E/index.html`],
    ['encoded slashes', `${fileUrl(appPath)}/..%2findex.html`],
    ['encoded backslashes', `${fileUrl(appPath)}/..%5cindex.html`],
    ['an encoded slash, even one that leads nowhere', fileUrl(own).replace('/dist/', '/dist%2f')],
    ['an encoded zero', `${fileUrl(own)}%00`],
    ['an escape that is none', `${fileUrl(own)}%zz`],
    ['a file that is not there', fileUrl(path.join(appPath, 'missing.html'))],
    ['a link inside the app that leads out', fileUrl(path.join(appPath, 'link-out.html'))],
    ['a host', fileUrl(own).replace('file:///', 'file://evil.example/')],
    ['a file system wrapper', `filesystem:${fileUrl(own)}`],
    ['view-source', `view-source:${fileUrl(own)}`],
  ])('%s', (_what, url) => {
    expect(trusts(url)).toBe(false)
  })

  test.each([
    ['another drive', 'file:///D:/Program%20Files/Notes/resources/app.asar/dist/index.html', windows],
    [
      'an archive whose name begins alike',
      'file:///C:/Program%20Files/Notes/resources/app.asar.evil/x.html',
      windows,
    ],
    ['no drive at all', 'file:///Program%20Files/Notes/resources/app.asar/dist/index.html', windows],
    [
      'a share, for an app on a drive',
      'file://evil/C:/Program%20Files/Notes/resources/app.asar/x.html',
      windows,
    ],
    ['the share of somebody else', 'file://evil/apps/Notes/resources/app/dist/index.html', share],
    ['another folder of the same share', 'file://files/apps/Evil/index.html', share],
    ['a device path', 'file://./C:/Program%20Files/Notes/resources/app.asar/x.html', windows],
    [
      'a device path with a question mark',
      'file:////?/C:/Program%20Files/Notes/resources/app.asar/x.html',
      windows,
    ],
  ])('on Windows: %s', (_what, url, under) => {
    expect(trusts(url, {}, under)).toBe(false)
  })

  test('another computer’s share is never accessed', () => {
    const asked: string[] = []
    const realPath = (file: string): string => {
      asked.push(file)
      return file
    }
    trusts('file://evil/share/index.html', {}, { ...windows, realPath })
    expect(asked).toEqual([])
  })
})

describe('pages with an origin', () => {
  test.each([
    'app://notes/index.html',
    'app://notes/#/a',
    'APP://NOTES/index.html',
    'http://localhost:5173/',
    'https://ui.example.com/a?b',
  ])('named by the developer are heard: %s', (url) => {
    expect(trusts(url)).toBe(true)
  })

  test.each([
    'app://evil/index.html',
    'app://notes.evil/index.html',
    'app://notes@evil/index.html',
    'app://user@notes/index.html',
    'app:notes/index.html',
    'app2://notes/index.html',
    'http://localhost:5174/',
    'http://localhost/',
    'https://localhost:5173/',
    'http://localhost.evil:5173/',
    'http://127.0.0.1:5173/',
    'http://user:pass@localhost:5173/',
    'http://localhost:5173@evil.example/',
    'https://ui.example.com.evil.example/',
    'https://ui.example.com:8443/',
    'http://ui.example.com/',
    'https://evil.example/?https://ui.example.com',
    'about:blank',
    'about:srcdoc',
    'data:text/html,<script>1</script>',
    'blob:https://ui.example.com/0f0f0f0f-0000-4000-8000-000000000000',
    'blob:app://notes/0f0f0f0f-0000-4000-8000-000000000000',
    'javascript:alert(1)',
    'chrome://gpu/',
    'chrome-extension://abcdefghijklmnop/index.html',
    'devtools://devtools/bundled/inspector.html',
    '',
    'nonsense',
  ])('and others are not: %s', (url) => {
    expect(trusts(url)).toBe(false)
  })
})

describe('whatever the address', () => {
  test.each<[string, Partial<SenderFacts>]>([
    ['a frame inside the page', { isMainFrame: false }],
    ['a <webview>', { isWebview: true }],
  ])('%s is not heard', (_what, facts) => {
    expect(trusts(fileUrl(own), facts)).toBe(false)
    expect(trusts('app://notes/index.html', facts)).toBe(false)
    expect(trusts(activationPageUrl, { isActivationWindow: true, ...facts })).toBe(false)
  })

  test('a frame that no longer exists is refused', () => {
    expect(trusts(null)).toBe(false)
    expect(trusts(null, { isActivationWindow: true })).toBe(false)
  })
})

describe('the activation window', () => {
  test('is trusted while it shows its page', () => {
    expect(trusts(activationPageUrl, { isActivationWindow: true })).toBe(true)
  })

  test.each([
    `${activationPageUrl}other`,
    `${activationPageUrl}#x`,
    'about:blank',
    'https://evil.example/',
    fileUrl(own),
  ])('is not heard while it shows %s', (url) => {
    expect(trusts(url, { isActivationWindow: true })).toBe(false)
  })

  test('lends its address to no other window', () => {
    expect(trusts(activationPageUrl)).toBe(false)
  })
})

describe('an origin a developer may name', () => {
  test.each([
    ['app://notes', 'app://notes'],
    ['app://notes/', 'app://notes'],
    ['APP://Notes', 'app://notes'],
    ['app://.', 'app://.'],
    ['https://ui.example.com', 'https://ui.example.com'],
    ['https://ui.example.com:443', 'https://ui.example.com'],
    ['http://localhost:5173/', 'http://localhost:5173'],
    ['http://127.0.0.1:5173', 'http://127.0.0.1:5173'],
    ['http://[::1]:5173', 'http://[::1]:5173'],
  ])('%s is %s', (text, origin) => {
    expect(originOf(text)).toBe(origin)
  })

  test.each([
    'notes',
    'app:',
    'app:///index.html',
    'app://notes/index.html',
    'https://ui.example.com/app',
    'https://ui.example.com?x',
    'https://user@ui.example.com',
    'http://ui.example.com',
    'http://localhost.evil',
    'file:///opt/app',
    'about:blank',
    'data:text/html,x',
    'javascript:1',
    'devtools://devtools',
    '*',
    'https://*.example.com/',
  ])('%s is none', (text) => {
    expect(originOf(text)).toBeNull()
  })

  test('a dev server is one only over http', () => {
    expect(devServerOrigin('http://localhost:5173/index.html')).toBe('http://localhost:5173')
    expect(devServerOrigin('http://192.168.1.7:5173')).toBe('http://192.168.1.7:5173')
    for (const address of [
      undefined,
      '',
      'nonsense',
      'file:///',
      'data:text/html,x',
      'http://user@localhost:1',
    ]) {
      expect(devServerOrigin(address)).toBeNull()
    }
  })
})
