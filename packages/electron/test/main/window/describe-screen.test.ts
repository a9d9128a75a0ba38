import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { languages } from '../../../src/dialog/texts/load-strings.ts'
import type { ActivationWindowOptions } from '../../../src/main/options/licensing-options.ts'
import { builtInLanguages } from '../../../src/main/window/check-locale.ts'
import { createScreenDescriber } from '../../../src/main/window/describe-screen.ts'
import { composePage, contentSecurityPolicy } from '../../../src/main/window/page/activation-page.ts'
import { unlicensed } from '../../dialog/stage/states.ts'
import { createRecordingLogger } from '../../doubles/recording-logger.ts'

const root = mkdtempSync(path.join(tmpdir(), 'latchkey-screen-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

function screenOf(options: ActivationWindowOptions) {
  const logger = createRecordingLogger()
  return {
    screen: createScreenDescriber(logger)(options, { title: 'Notes', locale: 'de-AT' }),
    lines: logger.lines,
  }
}

function fileWith(name: string, content: Buffer | string): string {
  const file = path.join(root, name)
  writeFileSync(file, content)
  return file
}

test('a text with a mistyped key is logged once, for the window and for pages of the app', () => {
  const logger = createRecordingLogger()
  const describeScreen = createScreenDescriber(logger)
  const mistyped: Readonly<Record<string, string>> = { enterHeding: 'Hello' }
  for (const title of ['Notes', 'Quill'])
    describeScreen({ title, strings: mistyped }, { title, locale: 'en' })
  expect(logger.lines).toEqual([
    'warn window.strings.enterHeding is not a text of the activation window (did you mean "enterHeading"?)',
  ])
})

test('a locale without built-in texts is logged once', () => {
  const logger = createRecordingLogger()
  const describeScreen = createScreenDescriber(logger)
  const defaults = { title: 'Notes', locale: 'sv' }
  // The system's language isn't the app's mistake, and an app may bring texts of its own.
  describeScreen({}, defaults)
  for (const locale of ['en-GB', 'de', 'pt-BR']) describeScreen({ locale }, defaults)
  describeScreen({ locale: 'sv', strings: { enterHeading: 'Aktivera {app}' } }, defaults)
  expect(logger.lines).toEqual([])
  for (const title of ['Notes', 'Quill']) describeScreen({ title, locale: 'klingon' }, defaults)
  expect(logger.lines).toEqual([
    expect.stringMatching(
      /^warn window\.locale: there are no built-in texts for "klingon", .* in English\./u,
    ),
  ])
  expect(builtInLanguages).toEqual(languages)
})

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
    })
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

  test.each([
    ['a page named .png', () => fileWith('page.png', '<!doctype html><svg></svg>')],
    ['an empty file', () => fileWith('empty.jpg', '')],
    ['a text named .svg', () => fileWith('text.svg', 'Logo')],
    ['a bitmap named .svg', () => fileWith('bitmap.svg', Buffer.from('iVBORw0KGgo=', 'base64'))],
    ['data that is no image', () => 'data:image/png;base64,xxx'],
    ['a data: URL of a text', () => 'data:image/svg+xml,Logo'],
  ])('has a logo that is %s, and the developer is told', (_what, make) => {
    expect(screenOf({ logo: make() }).lines).toEqual([
      'warn window.logo may not be shown: its content is not a PNG, JPEG, WebP, GIF or SVG image',
    ])
  })

  const xml = '<?xml version="1.0"?><!-- Logo --><svg:svg xmlns:svg="http://www.w3.org/2000/svg"/>'

  test.each([
    ['a PNG', () => fileWith('a.png', Buffer.from('iVBORw0KGgo=', 'base64'))],
    ['a JPEG named .png', () => fileWith('b.png', Buffer.from([0xff, 0xd8, 0xff, 0xe0]))],
    ['a GIF', () => fileWith('c.gif', 'GIF89a')],
    ['a WebP', () => fileWith('d.webp', Buffer.from('RIFF\n\0\r\nWEBPVP8 '))],
    ['an SVG with a prefix', () => fileWith('e.svg', xml)],
    ['an SVG in UTF-16', () => fileWith('f.svg', Buffer.from(`\ufeff${xml}`, 'utf16le'))],
    ['an escaped SVG', () => 'data:image/svg+xml;charset=utf-8,%3Csvg%20/%3E'],
    ['escaped base64', () => 'data:image/PNG;BASE64,iVBORw0KGgo%3D'],
  ])('has a logo that is %s, without a warning', (_what, make) => {
    const { screen, lines } = screenOf({ logo: make() })
    expect(screen.logo).toMatch(/^data:image/u)
    expect(lines).toEqual([])
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
