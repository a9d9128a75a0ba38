import { describe, expect, test } from 'vitest'
import { firstView, type SessionView } from '../../src/dialog/session/session-view.ts'
import { type Entry, nothingEntered, type Shown, show } from '../../src/dialog/situation/shown.ts'
import { createTranslator } from '../../src/dialog/situation/translator.ts'
import { english } from '../../src/texts/load-strings.ts'
import { problem, unlicensed } from './stage/states.ts'

const translator = createTranslator(english, {}, 'Inkpad')
const filled: Entry = { ...nothingEntered, isFieldEmpty: false }
const en = english.strings

function next(before: Shown | null, view: Partial<SessionView>, input: Partial<Entry> = {}): Shown {
  const shown = { ...firstView, state: unlicensed(), ...view }
  return show(before, shown, { ...filled, ...input }, { translator, links: [] }, Date.now())
}

const refusedTry = (): Pick<SessionView, 'attempt'> => ({
  attempt: { isRunning: false, problem: problem('license-not-found') },
})
const form = next(null, {})
const refused = next(form, refusedTry())
const reason = problem('license-not-found').message

describe('a license key that is not known', () => {
  test('is announced with the reason, and again when the same key is tried once more', () => {
    expect(refused.announcement).toBe(reason)
    const checking = next(refused, { attempt: { isRunning: true, problem: null } })
    expect(checking.announcement).not.toBe(reason)
    expect(next(checking, refusedTry()).announcement).toBe(reason)
  })

  test('keeps its reason until the text is changed', () => {
    const said = ({ hint }: Shown): string => hint.said.replaceAll('\n', ' ')
    expect([said(refused), refused.hint.tone]).toEqual([reason, 'danger'])
    expect(said(next(refused, refusedTry(), { isEdited: true }))).not.toBe(reason)
  })
})

test('a record of another computer is one, even if the license key in it can’t be read', () => {
  const state = unlicensed({ problem: problem('record-of-another-device') })
  expect(next(null, { state }).situation.heading).toBe(en.copiedHeading)
})

describe('a wait', () => {
  const running = { attempt: { isRunning: true, problem: null } } as const
  const checking = next(form, running)

  test('is announced when it begins and when it gets long, with a way out', () => {
    expect(checking.announcement).toBe(en.checking)
    const slow = next(checking, { ...running, isSlow: true })
    expect(slow.announcement).toBe(en.takingLong)
    expect(slow.hint.button).toMatchObject({ action: 'stopWaiting' })
  })

  test('that ends with the same words is announced by them', () => {
    const activating = { state: { ...unlicensed(), activity: 'activating' as const } }
    const begun = next(form, activating)
    expect(begun.announcement).toBe(en.checking)
    // The app's own call was refused, which this screen doesn't show.
    const ended = next(begun, { state: { ...unlicensed(), problem: problem('license-not-found') } })
    expect(ended.announcement).toBe(form.situation.heading)
  })

  test('of a retry without a network is not announced', () => {
    const failed = next(form, { attempt: { isRunning: false, problem: problem('offline') } })
    const retrying = next(failed, { attempt: { isRunning: true, problem: problem('offline') } })
    expect(retrying.announcement).toBe(failed.announcement)
    expect(next(retrying, { attempt: failed.view.attempt }).announcement).toBe(failed.announcement)
  })
})

test('a key that is found is announced, and so are details that were copied', () => {
  const found = next(form, {}, { foundKey: '1f0a••••9c1d' })
  expect(found.announcement).toBe(en.keyFound)
  expect(next(found, { copied: 'details' }, { foundKey: '1f0a••••9c1d' }).announcement).toBe(en.copied)
})

test('an empty field is no alarm: the hint says what to do, and is announced', () => {
  const empty = next(form, { attempt: { isRunning: false, problem: problem('empty-text') } })
  expect(empty.hint.tone).toBeNull()
  expect(empty.announcement).toBe(problem('empty-text').message)
})
