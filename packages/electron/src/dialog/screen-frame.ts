import type { SessionView } from './activation-session.ts'
import type { KeyField } from './key-field.ts'
import type { Scene } from './scene.ts'
import type { Translator } from './translator.ts'

/** Everything on the screen at one moment. */
export interface ScreenFrame {
  readonly scene: Scene
  readonly view: SessionView
  /** The key found in the field, masked; `null` for none. */
  readonly foundKey: string | null
  /** Whether that key came from a link the user opened. */
  readonly isFromLink: boolean
  /** Sentence about what was entered or chosen; `null` when there is nothing wrong with it. */
  readonly error: string | null
  /** The device chosen for release; `null` for none. */
  readonly chosenId: string | null
  /** Whether the details for support were just copied. */
  readonly isCopied: boolean
}

/** The sentence about what was entered or chosen; `null` when there is nothing wrong with it. */
export function errorIn(
  { situation }: Scene,
  field: Pick<KeyField, 'pasteProblem' | 'isEdited'>,
  isUnchosen: boolean,
  translator: Translator,
): string | null {
  if (field.pasteProblem !== null) return translator.problem(field.pasteProblem)
  switch (situation.kind) {
    case 'key-trouble':
      // What was said about a text is not true of a corrected one.
      return field.isEdited ? null : translator.problem(situation.trouble.code)
    case 'no-seat-left': {
      const trouble = situation.devices.phase === 'ready' ? situation.devices.trouble : null
      if (trouble !== null) return translator.problem(trouble.code)
      return isUnchosen ? translator.text('chooseDevice') : null
    }
    default:
      return null
  }
}

/** Which device stays chosen when a list is shown: the one that was, or the only one there is. */
export function chosenIn({ situation }: Scene, chosenId: string | null): string | null {
  if (situation.kind !== 'no-seat-left' || situation.devices.phase !== 'ready') return null
  const { devices } = situation.devices
  if (devices.some(({ id }) => id === chosenId)) return chosenId
  const [only, ...others] = devices
  return only === undefined || others.length > 0 ? null : only.id
}
