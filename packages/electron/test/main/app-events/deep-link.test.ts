import { describe, expect, test } from 'vitest'
import {
  type DeepLinkSource,
  listenForDeepLinks,
  readAnswerLink,
  readDeepLink,
} from '../../../src/main/app-events/deep-link.ts'

const key = '1f0a2b3c-1111-4222-8333-abcdefabcdef'

describe('a link', () => {
  test.each([
    `notes://activate?license=${key}`,
    `notes://activate/?license=${key}`,
    `NOTES://activate?license=${key.toUpperCase()}`,
  ])('%s brings the key', (link) => {
    expect(readDeepLink(link, 'notes')).toBe(key)
  })

  test.each([
    ['another scheme', `other://activate?license=${key}`],
    ['the scheme as a prefix', `notesx://activate?license=${key}`],
    ['another host', `notes://open?license=${key}`],
    ['a longer host', `notes://activate.evil.example?license=${key}`],
    ['a port', `notes://activate:80?license=${key}`],
    ['a user', `notes://me@activate?license=${key}`],
    ['a path', `notes://activate/now?license=${key}`],
    ['no slashes', `notes:activate?license=${key}`],
    ['a second parameter', `notes://activate?license=${key}&auto=1`],
    ['two licenses', `notes://activate?license=${key}&license=${key}`],
    ['a fragment', `notes://activate?license=${key}#x`],
    ['no key', 'notes://activate?license='],
    ['text around the key', `notes://activate?license=x${key}`],
    ['markup', 'notes://activate?license=<img src=x onerror=alert(1)>'],
    ['no link at all', '--flag'],
    ['an endless one', `notes://activate?license=${key}${'&'.repeat(10_000)}`],
  ])('with %s brings nothing', (_, link) => {
    expect(readDeepLink(link, 'notes')).toBeNull()
  })
})

describe('a link with an answer', () => {
  const answer = `latchkey-answer-1.${'eyJ0eXAi'.repeat(150)}.5d2c91aa`
  test('brings the answer', () => {
    expect(readAnswerLink(`notes://offline-answer?answer=${answer}`, 'notes')).toBe(answer)
    expect(readAnswerLink(`notes://offline-answer/?answer=${answer}`, 'notes')).toBe(answer)
  })

  test.each([
    ['another scheme', `other://offline-answer?answer=${answer}`],
    ['another host', `notes://activate?answer=${answer}`],
    ['a second parameter', `notes://offline-answer?answer=${answer}&auto=1`],
    ['a request', 'notes://offline-answer?answer=latchkey-request-1.abc.5d2c91aa'],
    ['text around it', `notes://offline-answer?answer=x${answer}`],
    ['markup', 'notes://offline-answer?answer=latchkey-answer-1.<b>'],
    ['a fragment', `notes://offline-answer?answer=${answer}#x`],
    ['an endless one', `notes://offline-answer?answer=${answer.repeat(10)}`],
  ])('with %s brings nothing', (_, link) => {
    expect(readAnswerLink(link, 'notes')).toBeNull()
  })

  test('is heard by an app that activates without internet, and left to any other', () => {
    const link = `notes://offline-answer?answer=${answer}`
    for (const takesAnswers of [true, false]) {
      const app = handDrivenApp()
      const heard: string[] = []
      listenForDeepLinks(app.source, { scheme: 'notes', takesAnswers }, (text) => heard.push(text))
      expect(app.open(link)).toBe(takesAnswers)
      expect(heard).toEqual(takesAnswers ? [answer] : [])
    }
  })
})

/** An app whose links are opened by hand. */
function handDrivenApp(startedWith: readonly string[] = []) {
  const opened = new Set<(url: string, claim: () => void) => void>()
  const startedAgain = new Set<(words: readonly string[]) => void>()
  const register = <Listener>(listeners: Set<Listener>, listener: Listener): (() => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  const source: DeepLinkSource = {
    onOpenUrl: (listener) => register(opened, listener),
    onSecondInstance: (listener) => register(startedAgain, listener),
    startedWith,
  }
  return {
    source,
    open(url: string): boolean {
      let isClaimed = false
      for (const listener of opened) listener(url, () => (isClaimed = true))
      return isClaimed
    },
    startAgain(...words: string[]) {
      for (const listener of startedAgain) listener(words)
    },
  }
}

describe('listening', () => {
  test('receives links from every source until it is stopped', () => {
    const app = handDrivenApp(['/usr/bin/notes', `notes://activate?license=${key}`])
    const other = key.replace('1f', '2f')
    const heard: string[] = []
    const stop = listenForDeepLinks(app.source, { scheme: 'notes', takesAnswers: false }, (found) =>
      heard.push(found),
    )
    app.startAgain('notes', '--flag', `notes://activate?license=${other}`)
    app.open(`notes://activate?license=${key}`)
    expect(heard).toEqual([key, other, key])
    stop()
    app.open(`notes://activate?license=${key}`)
    app.startAgain(`notes://activate?license=${key}`)
    expect(heard).toHaveLength(3)
  })

  test('leaves the other links of the scheme to the app', () => {
    const app = handDrivenApp()
    listenForDeepLinks(app.source, { scheme: 'notes', takesAnswers: false }, () => {})
    expect(app.open('notes://open?note=1')).toBe(false)
    expect(app.open(`notes://activate?license=${key}`)).toBe(true)
  })
})
