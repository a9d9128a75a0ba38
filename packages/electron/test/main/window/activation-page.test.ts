import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { LicenseService } from '@latchkey/services'
import { commerce } from '@latchkey/services/commerce'
import { signedKeys } from '@latchkey/services/signed-keys'
import type { ProtocolRequest, ProtocolResponse, Session } from 'electron'
import { afterAll, describe, expect, test } from 'vitest'
import type { ActivationWindowOptions } from '../../../src/main/options/licensing-options.ts'
import {
  activationPageUrl,
  composePage,
  contentSecurityPolicy,
  serveActivationPage,
  writePreloadFile,
} from '../../../src/main/window/activation-page.ts'
import { describeScreen } from '../../../src/main/window/describe-screen.ts'
import { licensingState } from '../../../src/testing/fake-state.ts'
import { createRecordingLogger } from '../../doubles/recording-logger.ts'

const root = mkdtempSync(path.join(tmpdir(), 'latchkey-page-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

function screenOf(
  options: ActivationWindowOptions,
  service: LicenseService = commerce({ baseUrl: 'https://licensing.vendor.test/v1' }),
) {
  const settings = { service, offlineUrl: undefined, takesAnyKey: false }
  const logger = createRecordingLogger()
  const screen = describeScreen(options, settings, { title: 'Notes', locale: 'de-AT' }, logger)
  return { screen, lines: logger.lines }
}

function fileWith(name: string, content: Buffer | string): string {
  const file = path.join(root, name)
  writeFileSync(file, content)
  return file
}

describe('the appearance that a window receives', () => {
  test('has the app’s name and language by default', () => {
    expect(screenOf({}).screen).toEqual({
      title: 'Notes',
      logo: null,
      accent: null,
      links: [],
      locale: 'de-AT',
      strings: {},
      prefilledText: null,
      serviceHost: 'licensing.vendor.test',
    })
  })

  test('says that licenses have no seats where the keys themselves are all there is', () => {
    const publicKeys = [`latchkey-public-${'A'.repeat(43)}`]
    const { screen } = screenOf({}, signedKeys({ publicKeys, product: 'notes' }))
    expect(screen).toMatchObject({ hasSeats: false })
  })

  test('names the links that are configured, and keeps their addresses to itself', () => {
    const links = { support: 'https://example.com/help', buy: 'https://example.com/buy' }
    const { screen } = screenOf({ links })
    expect(screen.links).toEqual(['buy', 'support'])
    expect(JSON.stringify(screen)).not.toContain('example.com')
  })

  test('contains the logo itself, never its path', () => {
    const { screen } = screenOf({ logo: fileWith('logo.svg', '<svg/>') })
    expect(screen.logo).toBe(`data:image/svg+xml;base64,${Buffer.from('<svg/>').toString('base64')}`)
    const data = 'data:image/png;base64,iVBORw0KGgo='
    expect(screenOf({ logo: data }).screen.logo).toBe(data)
  })

  test.each([
    ['20 MB', () => fileWith('large.png', Buffer.alloc(20 * 1024 * 1024)), /1 MB is the limit/],
    ['no image', () => fileWith('logo.html', '<script>'), /absolute path of a PNG/],
    ['not there', () => path.join(root, 'missing.png'), /window\.logo is not shown/],
    ['a relative path', () => 'logo.png', /absolute path/],
    ['a data: page', () => 'data:text/html,<script>', /data: URL must contain a PNG/],
    ['an address on the web', () => 'https://example.com/logo.png', /absolute path/],
  ])('goes without a logo that is %s, and the developer is told', (_what, make, message) => {
    const { screen, lines } = screenOf({ logo: make() })
    expect(screen.logo).toBeNull()
    expect(lines.join()).toMatch(message)
  })
})

describe('the activation page', () => {
  test('lets in its script, its styles and images made of data, and nothing else', () => {
    const policy = contentSecurityPolicy({ script: 'run()', styles: 'a{}' })
    expect(policy).toContain("default-src 'none'")
    expect(policy.match(/'sha256-[^']+'/g)).toHaveLength(2)
    expect(policy).not.toMatch(/unsafe|\*|'self'/)
  })

  test('carries its start as data that no title can end', () => {
    const title = '</script><script>alert(1)</script>&$&'
    const start = { state: licensingState(), screen: screenOf({ title }).screen, texts: { locale: 'en' } }
    const page = composePage({ script: 'run()', styles: 'a{}' }, 'native', start)
    expect(page.match(/<\/script/g)).toHaveLength(2)
    const [, json = ''] = /id="start">(.*?)<\/script>/s.exec(page) ?? []
    expect(page).toContain('<title>&#60;/script>&#60;script>alert(1)&#60;/script>&#38;$&#38;</title>')
    expect(JSON.parse(json)).toMatchObject({ screen: { title }, state: { status: 'unlicensed' } })
  })

  type Intercept = (request: ProtocolRequest, respond: (response: ProtocolResponse) => void) => void
  type Handle = (request: Request) => Promise<Response>

  /** Serves a page that can't be built in a session. @param protocol what Electron offers for that */
  function serveIn(protocol: object): void {
    const ignore = (): void => {}
    const session = {
      protocol,
      webRequest: { onBeforeRequest: ignore },
      setPermissionRequestHandler: ignore,
      setPermissionCheckHandler: ignore,
      setDevicePermissionHandler: ignore,
      on: ignore,
    } as unknown as Session
    const start = () => Promise.reject(new Error('Reading the options failed.'))
    serveActivationPage(session, { titleBar: 'native', script: 'run()', styles: '', start })
  }

  /** Serves the page, and asks for an address. @returns the answer's status */
  const asks: Readonly<Record<string, (url: string) => Promise<number | undefined>>> = {
    'an Electron of today': (url) =>
      new Promise((resolve, reject) => {
        serveIn({
          interceptBufferProtocol(_scheme: string, intercept: Intercept) {
            intercept({ url, headers: {}, method: 'GET', referrer: '' }, ({ error, statusCode }) =>
              error === undefined ? resolve(statusCode) : reject(new Error('The page failed.')),
            )
            return true
          },
        })
      }),
    'an Electron without the deprecated function': (url) =>
      new Promise((resolve, reject) => {
        serveIn({
          handle: (_scheme: string, handle: Handle) =>
            handle(new Request(url)).then(({ status }) => resolve(status), reject),
        })
      }),
  }

  test.each(Object.entries(asks))(
    'of %s is all that is served, and fails to load instead of hanging',
    async (_electron, ask) => {
      for (const url of [`${activationPageUrl}other.js`, 'https://example.com/'])
        expect(await ask(url)).toBe(404)
      await expect(ask(activationPageUrl)).rejects.toThrow()
    },
  )
})

describe('the preload script', () => {
  const script = '"use strict";require("electron")'

  function places() {
    const data = mkdtempSync(path.join(root, 'data-'))
    const options = { script, directory: path.join(data, 'latchkey'), temporaryDirectory: root }
    return { options, inTheWay: fileWith(path.join(path.basename(data), 'file'), '') }
  }

  test('is in one file, which only its owner may touch, and replaced if somebody changed it', () => {
    const { options } = places()
    const file = writePreloadFile(options)
    expect(readFileSync(file, 'utf8')).toBe(script)
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
    writeFileSync(file, 'require("child_process")')
    expect(writePreloadFile(options)).toBe(file)
    expect(readFileSync(file, 'utf8')).toBe(script)
    expect(readdirSync(options.directory)).toEqual([path.basename(file)])
  })

  test('is in a new private temporary folder where its own can’t be written to', () => {
    const { options, inTheWay } = places()
    const file = writePreloadFile({ ...options, directory: inTheWay })
    expect(readFileSync(file, 'utf8')).toBe(script)
    expect(path.dirname(path.dirname(file))).toBe(options.temporaryDirectory)
    expect(path.dirname(writePreloadFile({ ...options, directory: inTheWay }))).not.toBe(path.dirname(file))
    if (process.platform !== 'win32') expect(statSync(path.dirname(file)).mode & 0o777).toBe(0o700)
  })

  test('can’t be written where no folder is writable, and the error names the reason', () => {
    const { inTheWay } = places()
    expect(() => writePreloadFile({ script, directory: inTheWay, temporaryDirectory: inTheWay })).toThrow(
      'ENOTDIR',
    )
  })
})
