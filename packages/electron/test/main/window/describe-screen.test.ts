import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { LicenseService } from '@latchkey/services'
import { commerce } from '@latchkey/services/commerce'
import { signedKeys } from '@latchkey/services/signed-keys'
import { afterAll, describe, expect, test } from 'vitest'
import type { ActivationWindowOptions } from '../../../src/main/options/licensing-options.ts'
import { composePage, contentSecurityPolicy } from '../../../src/main/window/activation-page.ts'
import { describeScreen } from '../../../src/main/window/describe-screen.ts'
import { unlicensed } from '../../dialog/stage/states.ts'
import { createRecordingLogger } from '../../doubles/recording-logger.ts'

const root = mkdtempSync(path.join(tmpdir(), 'latchkey-screen-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const address = commerce({ baseUrl: 'https://licensing.vendor.test/v1' })
const publicKeys = [`latchkey-public-${'A'.repeat(43)}`]

function screenOf(options: ActivationWindowOptions, service: LicenseService = address) {
  const settings = { service, offlineUrl: undefined, takesAnyKey: false }
  const logger = createRecordingLogger()
  return {
    screen: describeScreen(options, settings, { title: 'Notes', locale: 'de-AT' }, logger),
    lines: logger.lines,
  }
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
    const { screen } = screenOf({}, signedKeys({ publicKeys, product: 'notes' }))
    expect(screen).toMatchObject({ hasSeats: false })
  })

  test('names the links that are configured, and keeps their addresses to itself', () => {
    const { screen } = screenOf({
      links: { support: 'https://example.com/help', buy: 'https://example.com/buy' },
    })
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

test('the policy of the activation page lets in its script, its styles and images made of data, and nothing else', () => {
  const policy = contentSecurityPolicy({ script: 'run()', styles: 'a{}' })
  expect(policy).toContain("default-src 'none'")
  expect(policy.match(/'sha256-[^']+'/g)).toHaveLength(2)
  expect(policy).not.toMatch(/unsafe|\*|'self'/)
})

test('the activation page carries its start as data that no title can end', () => {
  const title = '</script><script>alert(1)</script>&$&'
  const { screen } = screenOf({ title })
  const state = { ...unlicensed(), activity: 'idle' as const }
  const page = composePage({ script: 'run()', styles: 'a{}' }, 'native', {
    state,
    screen,
    texts: { locale: 'en' },
  })
  expect(page.match(/<\/script/g)).toHaveLength(2)
  const [, json = ''] = /id="start">(.*?)<\/script>/s.exec(page) ?? []
  expect(page).toContain('<title>&#60;/script>&#60;script>alert(1)&#60;/script>&#38;$&#38;</title>')
  expect(JSON.parse(json)).toMatchObject({ screen: { title }, state: { status: 'unlicensed' } })
})
