import type { ActivationLink } from '../shared/activation-screen.ts'
import type { Situation } from './situation.ts'

/** What a button does. */
export type SceneAction =
  | 'continue'
  | 'retry'
  | 'reactivate'
  | 'enter-key'
  | 'stop-waiting'
  | 'load-devices'
  | 'ask-deactivation'
  | 'deactivate'
  | 'back'
  | 'copy-details'
  | ActivationLink

/** A button. */
export interface SceneButton {
  readonly action: SceneAction
  readonly label: string
}

/** Which sign stands at the logo. */
export type SceneBadge = 'done' | 'offline' | 'clock' | 'warning' | 'stopped' | 'devices'

/** A message set apart: trouble beside the matter at hand, or that something is done. */
export interface SceneNotice {
  readonly tone: 'warning' | 'done'
  readonly text: string
}

/** One line of the details. */
export interface SceneDetail {
  readonly label: string
  readonly value: string
  /** Whether the value is to be compared letter by letter. */
  readonly isCode: boolean
}

/** One situation in words and buttons: everything that is drawn but the field and the list. */
export interface Scene {
  readonly situation: Situation
  readonly badge: SceneBadge | null
  readonly heading: string
  readonly lead: string
  /** What goes on meanwhile; `null` for nothing. */
  readonly note: string | null
  readonly notice: SceneNotice | null
  /** A code to tell somebody; `null` for none. */
  readonly code: string | null
  readonly details: readonly SceneDetail[]
  /** What stands below the words. */
  readonly body: 'form' | 'devices' | 'none'
  readonly primary: SceneButton | null
  /** What the main button says while an answer is awaited. */
  readonly busyLabel: string
  readonly others: readonly SceneButton[]
  readonly footer: readonly SceneButton[]
}
