import type { ScreenLink } from '../../shared/activation-screen.ts'
import { announcementOf } from './announcement.ts'
import { type Entry, type Hint, hintOf } from './hint-of.ts'
import type { Scene } from './scene.ts'
import { sceneOf } from './scene-of.ts'
import type { SessionView } from './session-view.ts'
import type { Translator } from './translator.ts'

/** Everything on the screen at one moment. */
export interface ScreenFrame {
  readonly scene: Scene
  readonly view: SessionView
  readonly hint: Hint
  /** The key shown as a token in the empty field, masked; `null` for none. */
  readonly token: string | null
  /** The chosen entry of the list; `null` for none. */
  readonly chosenId: string | null
  /** The last announcement for screen readers; empty for none. */
  readonly announcement: string
}

/** What the user did on the screen outside the field. */
export interface ScreenChoice {
  /** The chosen entry of the list; `null` for none. */
  chosenId: string | null
  /** Whether the form was submitted without a choice. */
  isUnchosen: boolean
}

/** What the user did on the screen that the session doesn't know. */
export interface ScreenInput extends Entry, Readonly<ScreenChoice> {
  /** Whether the field is empty or there is no field. */
  readonly isFieldEmpty: boolean
}

/** A form that nobody has touched yet. */
export const untouchedInput: ScreenInput = {
  pasteProblem: null,
  foundKey: null,
  isFromLink: false,
  isEdited: false,
  isUnchosen: false,
  chosenId: null,
  isFieldEmpty: true,
}

/** Changes a scene to what is loaded on demand. */
export type AdaptScene = (scene: Scene, view: SessionView, translator: Translator) => Scene

/** Computes what the screen shows next. @param before what it shows now; `null` if nothing yet */
export function screenFrame(
  before: ScreenFrame | null,
  view: SessionView,
  input: ScreenInput,
  translator: Translator,
  links: readonly ScreenLink[],
  nowMs: number,
  adapt: AdaptScene = (scene) => scene,
): ScreenFrame {
  const scene = adapt(sceneOf(view, translator, links, nowMs), view, translator)
  const frame: ScreenFrame = {
    scene,
    view,
    hint: hintOf(scene, view, input, translator),
    token: scene.body === 'form' && input.isFieldEmpty ? view.clipboardKey : null,
    chosenId: scene.rows?.find(({ id }) => id === input.chosenId)?.id ?? null,
    announcement: before?.announcement ?? '',
  }
  const announcement = announcementOf(before, frame, translator)
  return announcement === null ? frame : { ...frame, announcement }
}
