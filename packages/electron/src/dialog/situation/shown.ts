import type { SessionView } from '../session/session-view.ts'
import { obstacleOf } from './decide-situation.ts'
import { situationOf, type Wording } from './describe-situation.ts'
import type { Button, ButtonAction, Situation, Tone } from './situation.ts'
import type { Translator } from './translator.ts'

/** What the user did in the window that the session doesn't know. The text of the field itself is only in the input. */
export interface Entry {
  /** Whether license keys can be any text, so that only the main process can find them. */
  takesAny: boolean
  /** The key found in the field, masked; `null` if none. */
  foundKey: string | null
  /** What is wrong with the last paste; `null` if nothing. */
  pasteProblem: 'text-too-long' | null
  /** Whether the text came from a link that the user opened. */
  isFromLink: boolean
  /** Whether the text was changed since it was submitted. */
  isEdited: boolean
  /** Whether the field is empty or there is no field. */
  isFieldEmpty: boolean
  /** The chosen entry of the list; `null` for none. */
  chosenId: string | null
  /** Whether the form was submitted without a choice. */
  isUnchosen: boolean
  /** What the button does that was pressed last; `null` if none was. */
  pressed: ButtonAction | null
}

/** What the user did at first. */
export const nothingEntered: Entry = {
  takesAny: false,
  foundKey: null,
  pasteProblem: null,
  isFromLink: false,
  isEdited: false,
  isFieldEmpty: true,
  chosenId: null,
  isUnchosen: false,
  pressed: null,
}

/** The line below the field or the list. Its place never changes. */
export interface Hint {
  readonly tone: Tone
  /** One line per sentence. */
  readonly said: string
  /** A button that belongs to it; `null` for none. */
  readonly button: Button | null
}

/** Everything in the window at one moment. */
export interface Shown {
  readonly situation: Situation
  readonly view: SessionView
  readonly hint: Hint
  /** The key shown as a token in the empty field, masked; `null` for none. */
  readonly token: string | null
  /** The form of a license key, to show in the empty field; empty if keys can be any text. */
  readonly placeholder: string
  /** The chosen entry of the list; `null` for none. */
  readonly chosenId: string | null
  /** The button that shows that an answer is pending, by what it does; `null` while none is. The others are disabled. */
  readonly busyAction: ButtonAction | null
  /** The last announcement for screen readers; empty for none. */
  readonly announcement: string
}

/** Computes what the window shows next. @param before what it shows now; `null` if nothing yet */
export function show(
  before: Shown | null,
  view: SessionView,
  entry: Entry,
  wording: Wording,
  nowMs: number,
): Shown {
  const { translator } = wording
  const situation = situationOf(view, wording, nowMs)
  const now: Shown = {
    situation,
    view,
    hint: hintOf(situation, view, entry, translator),
    token: situation.body === 'form' && entry.isFieldEmpty ? view.clipboardKey : null,
    placeholder: entry.takesAny ? '' : 'xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx',
    chosenId: situation.rows?.find(({ id }) => id === entry.chosenId)?.id ?? null,
    busyAction: situation.facts.isChecking ? busyActionOf(situation, entry.pressed) : null,
    announcement: before?.announcement ?? '',
  }
  const announcement = announcementOf(before, now, translator)
  return announcement === null ? now : { ...now, announcement }
}

/** The buttons that ask the service for something. */
function askingButtons({ primary, other, hintButton, footer }: Situation): readonly Button[] {
  return [primary, other, hintButton, ...footer].flatMap((button) => (button?.busyLabel ? [button] : []))
}

/** The button that was pressed, or the first one that asks the service if the app does so by itself. */
function busyActionOf(situation: Situation, pressed: ButtonAction | null): ButtonAction | null {
  const asking = askingButtons(situation)
  return (asking.find(({ action }) => action === pressed) ?? asking[0])?.action ?? null
}

/** Chooses the hint: an error first, then a long wait, then a key that was found, then the instruction. */
function hintOf(
  { facts, body, hint, hintButton, error, choiceError }: Situation,
  { isSlow, state, clipboardKey }: SessionView,
  { foundKey: key, pasteProblem, isFromLink, isEdited, isUnchosen }: Entry,
  { text, problem }: Translator,
): Hint {
  const hintWith = (said: string, tone: Tone = null): Hint => ({ said, tone, button: hintButton })
  if (pasteProblem !== null) return hintWith(problem({ code: pasteProblem }), 'danger')
  if (isUnchosen && choiceError !== '') return hintWith(choiceError, 'danger')
  // An error about a text no longer applies once the text is changed.
  if (error && !(body === 'form' && isEdited)) return hintWith(error.text, error.tone)
  if (body !== 'form' || (isSlow && facts.isChecking)) return hintWith(hint)
  if (key !== null) {
    const replaces = state?.entitled && state.license && state.license.maskedKey !== key
    if (!isFromLink) return hintWith(text('keyFound', { key }), 'success')
    return hintWith(text('fromLink', { key }) + (replaces ? `\n${text('replacesLicense')}` : ''), 'success')
  }
  return clipboardKey === null
    ? hintWith(hint)
    : hintWith(text('useClipboard', { key: clipboardKey }), 'success')
}

/** What screen readers announce about a change in addition to what has the focus; `null` for nothing. */
function announcementOf(before: Shown | null, now: Shown, { text }: Translator): string | null {
  const { situation, view, hint, busyAction } = now
  if (before === null || layoutOf(before.situation) !== layoutOf(situation)) {
    // A heading that receives the focus is read anyway.
    return wordsOf(focusPlaceOf(now) === focusPlaces.heading ? { ...situation, heading: '' } : situation)
  }
  const was = before.situation
  const said = onOneLine(hint.said)
  const isNew = hint.said !== before.hint.said
  const isError = hint.tone === 'danger' || hint.said === situation.error?.text
  if (isError && (isNew || view.attempt !== before.view.attempt)) return said
  if (view.isSlow && !before.view.isSlow) return text('takingLong')
  const { isChecking } = situation.facts
  // An automatic retry is not announced.
  if (isChecking !== was.facts.isChecking && obstacleOf(situation.facts) === null) {
    // A check ends with the words of the window, even if they stayed the same.
    const busy = askingButtons(situation).find(({ action }) => action === busyAction)
    return isChecking ? (busy?.busyLabel ?? text('checking')) : wordsOf(situation)
  }
  if (wordsOf(situation) !== wordsOf(was)) return wordsOf(situation)
  if (hint.tone === 'success' && isNew) return `${said} ${now.token ?? ''}`.trim()
  return view.copied !== null && view.copied !== before.view.copied ? text('copied') : null
}

function wordsOf({ heading, lead, code, notice }: Situation): string {
  return onOneLine([heading, lead, code, notice?.text].filter(Boolean).join(' '))
}

function onOneLine(text: string): string {
  return text.replaceAll('\n', ' ')
}

/** Where the focus goes in a new situation, as a selector. */
const focusPlaces = {
  key: '#key',
  answer: '#answer',
  primary: '.actions [type=submit]',
  other: '.actions [type=button]',
  heading: '#heading',
} as const

/** Situations with the same name keep the focus where it is. */
export function layoutOf({ body, facts }: Situation): string {
  return body === 'form' ? body : facts.kind
}

/** Where the focus goes in a situation. A button only if pressing Enter once too often does no harm there. */
export function focusPlaceOf({ situation: { body, facts }, token, hint }: Shown): string {
  if (body === 'answer') return focusPlaces.answer
  if (body === 'form') return token === null || hint.tone === 'danger' ? focusPlaces.key : focusPlaces.primary
  if (facts.kind === 'deactivate') return focusPlaces.other
  return facts.kind === 'activated' || facts.kind === 'grace' ? focusPlaces.primary : focusPlaces.heading
}
