import type { ActivationLink } from '../shared/activation-screen.ts'
import type { Situation } from './situation.ts'

/** What a button does. */
export type SceneAction =
  | 'continue'
  | 'retry'
  | 'enter-key'
  | 'stop-waiting'
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
  /** A further sentence: a trouble beside the matter, or what still works. */
  readonly note: string | null
  /** A code to tell somebody; `null` for none. */
  readonly code: string | null
  readonly details: readonly SceneDetail[]
  /** What stands below the words. */
  readonly body: 'form' | 'devices' | 'none'
  readonly primary: SceneButton | null
  readonly others: readonly SceneButton[]
  readonly footer: readonly SceneButton[]
}
