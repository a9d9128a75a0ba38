import type { KeyField } from '../key-field.ts'
import type { Scene, SceneButton, Tone } from './scene.ts'
import type { SessionView } from './session-view.ts'
import type { Translator } from './translator.ts'

/** The text below the field or the list. Its place never changes. */
export interface Hint {
  readonly tone: Tone
  /** One line per sentence. */
  readonly said: string
  /** A button that belongs to it; `null` for none. */
  readonly action: SceneButton | null
}

/** What the user did on the screen that the session doesn't know. */
export interface Entry extends Pick<KeyField, 'pasteProblem' | 'isEdited' | 'isFromLink' | 'foundKey'> {
  /** Whether the form was submitted without a choice. */
  readonly isUnchosen: boolean
}

/** Chooses the hint: an error first, then a long wait, then a key that was found, then the instruction. */
export function hintOf(scene: Scene, view: SessionView, entry: Entry, translator: Translator): Hint {
  const { text } = translator
  const hint = (said: string, tone: Tone = null, action: SceneButton | null = null): Hint => ({
    said,
    tone,
    action,
  })
  const error = errorOf(scene, entry, translator)
  if (error !== null) return hint(error, 'danger')
  if (view.isSlow && scene.situation.isChecking) {
    return hint(text('takingLong'), null, { action: 'stopWaiting', label: text('stopWaiting') })
  }
  if (scene.body !== 'form') return hint(scene.hint)
  const { foundKey: key, isFromLink } = entry
  if (key !== null) {
    const { state } = view
    const replaces = state?.entitled && state.license && state.license.maskedKey !== key
    if (!isFromLink) return hint(text('keyFound', { key }), 'success')
    return hint(text('fromLink', { key }) + (replaces ? `\n${text('replacesLicense')}` : ''), 'success')
  }
  return view.clipboardKey === null
    ? hint(scene.hint)
    : hint(text('useClipboard', { key: view.clipboardKey }), 'success')
}

function errorOf(
  { situation, hint, error }: Scene,
  { pasteProblem, isEdited, isUnchosen }: Entry,
  { text, problem }: Translator,
): string | null {
  if (pasteProblem !== null) return problem({ code: pasteProblem })
  switch (situation.kind) {
    case 'key-trouble':
      // An error about a text no longer applies once the text is changed.
      return isEdited ? null : problem(situation.problem)
    case 'choose-key':
      if (isUnchosen) return hint
      return situation.problem && problem(situation.problem)
    case 'no-seat-left': {
      const refused = situation.devices.phase === 'ready' && situation.devices.problem
      if (refused) return problem(refused)
      return isUnchosen ? text('chooseDevice') : null
    }
    default:
      return (!isEdited && error) || null
  }
}
