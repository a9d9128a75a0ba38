import type { ActivationLink } from '../../shared/activation-screen.ts'
import type { Situation } from './situation.ts'

/** What a button does. */
export type SceneAction =
  | 'activate'
  | 'choose-key'
  | 'release'
  | 'continue'
  | 'retry'
  | 'reactivate'
  | 'enter-key'
  | 'change-key'
  | 'stop-waiting'
  | 'load-devices'
  | 'ask-deactivation'
  | 'deactivate'
  | 'back'
  | 'remove-token'
  | 'copy-details'
  | ActivationLink

/** A button. */
export interface SceneButton {
  readonly action: SceneAction
  readonly label: string
}

/** Which badge the logo wears. */
export type SceneBadge = 'done' | 'offline' | 'clock' | 'warning' | 'stopped' | 'devices'

/** Good, of concern, or wrong; `null` for neither. */
export type Tone = 'success' | 'warning' | 'danger' | null

/** A message set apart: a problem beside the matter at hand, or that something is done. */
export interface SceneNotice {
  readonly tone: Tone
  readonly text: string
}

/** One line of the details. */
export interface SceneDetail {
  readonly label: string
  readonly value: string
  /** Whether the value is to be compared letter by letter. */
  readonly isCode: boolean
  /** Seats in use of those there are, to be drawn; `null` for none. */
  readonly seats: { readonly used: number; readonly limit: number } | null
}

/** One entry of a list of which one is chosen. */
export interface SceneRow {
  readonly id: string
  readonly label: string
  /** A second, smaller line; may be empty. */
  readonly detail: string
  readonly isCode: boolean
}

/** One situation in words and buttons: everything that is drawn but the text of the field. */
export interface Scene {
  readonly situation: Situation
  /** Whether the logo lights the window: not when the license has stopped. */
  readonly isLit: boolean
  readonly badge: SceneBadge | null
  readonly heading: string
  /** One line per sentence; may be empty. */
  readonly lead: string
  readonly notice: SceneNotice | null
  /** A code to report; `null` for none. */
  readonly code: string | null
  readonly details: readonly SceneDetail[]
  /** What stands below the words. */
  readonly body: 'form' | 'list' | 'none'
  /** The entries of the list; `null` while they are loading. */
  readonly rows: readonly SceneRow[] | null
  /** Name of the list, for screen readers. */
  readonly listName: string
  /** What the line below the field or the list says when there is nothing else to say. */
  readonly hint: string
  readonly primary: SceneButton | null
  /** Whether the main button takes something away. */
  readonly isDestructive: boolean
  /** What the main button says while an answer is awaited. */
  readonly busyLabel: string
  /** The other way, beside the main button. */
  readonly other: SceneButton | null
  /** Behind *Help*, at the start of the foot. */
  readonly help: readonly SceneButton[]
  /** Other ways, at the end of the foot: at most two. */
  readonly footer: readonly SceneButton[]
}
