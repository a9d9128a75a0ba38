import { EventEmitter } from 'node:events'
import { findOfflineText, wrapOfflineText, writeOfflineText } from '@latchkey/services/offline'
import { polar } from '@latchkey/services/polar'
import { describe, expect, test } from 'vitest'
import { type DeepLink, listenForDeepLinks, readDeepLink } from '../../../src/main/app-events/deep-link.ts'
import { readLicenseKeyText } from '../../../src/shared/license-key-text.ts'

const key = '1f0a2b3c-1111-4222-8333-abcdefabcdef'
const options = { scheme: 'notes', findLicenseKey: readLicenseKeyText, takesAnswers: true }

describe('a link', () => {
  test.each([
    ['as documented', `notes://activate?license=${key}`],
    ['with a slash', `notes://activate/?license=${key}`],
    ['in capital letters', `NOTES://Activate?license=${key.toUpperCase()}`],
    ['without slashes', `notes:activate?license=${key}`],
    ['with a third slash', `notes:///activate?license=${key}`],
    ['with a mail program’s parameter behind the key', `notes://activate?license=${key}&utm_source=mail`],
    ['with a mail program’s parameter before the key', `notes://activate?utm_source=mail&license=${key}`],
    [
      'with a mail program’s long parameter',
      `notes://activate?license=${key}&utm_campaign=${'x'.repeat(500)}`,
    ],
    ['with white space behind the key', `notes://activate?license=${key}%20%0A`],
    ['with white space before the key', `notes://activate?license=+${key}`],
    ['with a fragment', `notes://activate?license=${key}#x`],
  ])('%s brings the key', (_, link) => {
    expect(readDeepLink(link, options)).toEqual({ name: 'activate', parameter: 'license', text: key })
  })

  test.each([
    ['no parameter', 'notes://activate'],
    ['no slashes and no parameter', 'notes:activate'],
    ['an empty key', 'notes://activate?license='],
    ['a parameter of another name', `notes://activate?key=${key}`],
    ['what is no key', 'notes://activate?license=not-a-key'],
    ['two licenses', `notes://activate?license=${key}&license=${key}`],
    ['text around the key', `notes://activate?license=x${key}`],
    ['markup', 'notes://activate?license=<img src=x onerror=alert(1)>'],
  ])('to activate with %s brings no key', (_, link) => {
    expect(readDeepLink(link, options)).toEqual({ name: 'activate', parameter: 'license', text: null })
  })

  test.each([
    ['another scheme', `other://activate?license=${key}`],
    ['the scheme as a prefix', `notesx://activate?license=${key}`],
    ['another host', `notes://open?license=${key}`],
    ['a longer host', `notes://activate.evil.example?license=${key}`],
    ['a port', `notes://activate:80?license=${key}`],
    ['a user', `notes://me@activate?license=${key}`],
    ['a path', `notes://activate/now?license=${key}`],
    ['the key in its path', `notes://activate/${key}`],
    ['a longer path', `notes://activate/now/${key}`],
    ['another path', `notes:///open/activate?license=${key}`],
    ['no link at all', '--flag'],
    ['an endless one', `notes://activate?license=${key}${'&'.repeat(10_000)}`],
  ])('with %s is left to the app', (_, link) => {
    expect(readDeepLink(link, options)).toBeNull()
  })
})

describe('a link with a license key that isn’t a UUID', () => {
  const { findLicenseKey } = polar({ organizationId: 'fda84e25-7b55-4d67-916d-60ead04ff72f' })
  const keyIn = (text: string) =>
    readDeepLink(`notes://activate?license=${text}`, { ...options, findLicenseKey })?.text

  test.each(['INKWELL', 'ÉCLAIR', 'E\u0301CLAIR', '墨水', 'INK&PEN', 'INK+', 'PRO!'])(
    'brings it letter for letter, with the prefix %s',
    (prefix) => {
      const licenseKey = `${prefix}-1C285B2D-6CE6-4BC7-B8BE-ADB6A7E304DA`
      expect(keyIn(encodeURIComponent(licenseKey))).toBe(licenseKey)
    },
  )

  test.each(['INKWELL-1C285B2D-6CE6-4BC7-B8BE-ADB6A7E304DA%20or', 'hello', 'two%20words'])(
    'brings no key out of %s',
    (text) => {
      expect(keyIn(text)).toBeNull()
    },
  )
})

describe('a link with an answer', () => {
  const answer = writeOfflineText('answer', 'eyJ0eXAi'.repeat(150))
  const linkWith = (text: string): string => `notes://offline-answer?answer=${encodeURIComponent(text)}`

  test.each([
    ['as it is', linkWith(answer)],
    ['with a slash', `notes://offline-answer/?answer=${answer}`],
    ['in the lines of the gateway’s answer', linkWith(wrapOfflineText(answer))],
    ['in the lines of Windows', linkWith(wrapOfflineText(answer).replaceAll('\n', '\r\n'))],
    ['quoted by a mail program', linkWith(wrapOfflineText(answer).replace(/^/gmu, '> '))],
    ['with a mail program’s parameter', `${linkWith(answer)}&utm_source=mail`],
    ['with a fragment', `${linkWith(answer)}#x`],
  ])('%s brings the answer', (_, link) => {
    const found = readDeepLink(link, options)
    expect(found).toEqual({ name: 'offline-answer', parameter: 'answer', text: answer })
    expect(findOfflineText('answer', found?.text ?? '')).toMatchObject({ ok: true })
  })

  test.each([
    ['no parameter', 'notes://offline-answer'],
    ['a request', linkWith('latchkey-request-1.abc.5d2c91aa')],
    ['text around it', linkWith(`x${answer}`)],
    ['markup', linkWith('latchkey-answer-1.<b>')],
    ['two answers', `${linkWith(answer)}&answer=${answer}`],
  ])('with %s brings none', (_, link) => {
    expect(readDeepLink(link, options)).toEqual({ name: 'offline-answer', parameter: 'answer', text: null })
  })

  test.each([
    ['another scheme', `other://offline-answer?answer=${answer}`],
    ['an endless one', linkWith(answer.repeat(10))],
  ])('with %s is left to the app', (_, link) => {
    expect(readDeepLink(link, options)).toBeNull()
  })

  test('to activate brings no key', () => {
    expect(readDeepLink(`notes://activate?answer=${answer}`, options)?.text).toBeNull()
  })

  test('is heard by an app that activates without internet, and left to any other', () => {
    for (const takesAnswers of [true, false]) {
      const app = new EventEmitter()
      const heard: (string | null)[] = []
      listenForDeepLinks(app, [], { ...options, takesAnswers }, ({ text }) => heard.push(text))
      expect(open(app, linkWith(answer))).toBe(takesAnswers)
      expect(heard).toEqual(takesAnswers ? [answer] : [])
    }
  })
})

/** Opens a link as macOS does. @returns whether the app claims it. */
function open(app: EventEmitter, url: string): boolean {
  let isClaimed = false
  app.emit('open-url', { preventDefault: () => (isClaimed = true) }, url)
  return isClaimed
}

describe('listening', () => {
  test('receives links from every source until it is stopped', () => {
    const app = new EventEmitter()
    const startedWith = ['/usr/bin/notes', `notes://activate?license=${key}`]
    const other = key.replace('1f', '2f')
    const heard: (string | null)[] = []
    const stop = listenForDeepLinks(app, startedWith, options, ({ text }) => heard.push(text))
    app.emit('second-instance', {}, ['notes', '--flag', `notes://activate?license=${other}`])
    open(app, `notes://activate?license=${key}`)
    expect(heard).toEqual([key, other, key])
    stop()
    open(app, `notes://activate?license=${key}`)
    app.emit('second-instance', {}, [`notes://activate?license=${key}`])
    expect(heard).toHaveLength(3)
  })

  test('leaves the other links of the scheme to the app', () => {
    const app = new EventEmitter()
    listenForDeepLinks(app, [], options, () => {})
    expect(open(app, 'notes://open?note=1')).toBe(false)
    expect(open(app, `notes://activate?license=${key}`)).toBe(true)
  })

  test('calls back once for a link without a usable key, and prefers one with a key', () => {
    const app = new EventEmitter()
    const heard: DeepLink[] = []
    listenForDeepLinks(app, [], options, (link) => heard.push(link))
    expect(open(app, `notes://activate?key=${key}`)).toBe(true)
    app.emit('second-instance', {}, ['notes://activate', `notes://activate?license=${key}`])
    expect(heard.map(({ text }) => text)).toEqual([null, key])
    expect(JSON.stringify(heard[0])).not.toContain(key)
  })
})
