import type { ActivationLink } from '../../shared/activation-screen.ts'
import type { Content } from '../dom/element.ts'
import type { Situation } from './situation.ts'

/** What only the session does: names of its methods. */
export type SessionAction =
  | 'retry'
  | 'reactivate'
  | 'enterKey'
  | 'changeKey'
  | 'stopWaiting'
  | 'loadDevices'
  | 'askDeactivation'
  | 'deactivate'
  | 'back'
  | 'copyDetails'

/** What the screen does on its own or together with the session. */
export type ScreenAction = 'activate' | 'choose-key' | 'release' | 'continue' | 'remove-token' | 'offline'

/** What a button of the screen without internet does. */
export type OfflineAction = `offline-${string}`

/** What a button does. */
export type SceneAction = ScreenAction | SessionAction | OfflineAction | ActivationLink

/** A button. */
export interface SceneButton {
  readonly action: SceneAction
  readonly label: string
}

/** The badge on the logo. */
export type SceneBadge = 'done' | 'offline' | 'clock' | 'warning' | 'stopped' | 'devices'

/** Success, warning or error; `null` for none. */
export type Tone = 'success' | 'warning' | 'danger' | null

/** A message in a box of its own: a problem besides the main content, or a confirmation. */
export interface SceneNotice {
  readonly tone: Tone
  readonly text: string
}

/** One line of the details. */
export interface SceneDetail {
  readonly label: string
  readonly value: string
  /** Whether the user may need to compare the value letter by letter. */
  readonly isCode: boolean
  /** Seats in use and seats in total, to be drawn; `null` for none. */
  readonly seats: { readonly used: number; readonly limit: number } | null
}

/** One entry of a list to choose from. */
export interface SceneRow {
  readonly id: string
  readonly label: string
  /** A second, smaller line; may be empty. */
  readonly detail: string
  readonly isCode: boolean
}

/** One situation in texts and buttons: everything that is drawn except the text of the field. */
export interface Scene {
  readonly situation: Situation
  /** Whether the logo lights the window. Off when the license has stopped. */
  readonly isLit: boolean
  readonly badge: SceneBadge | null
  readonly heading: string
  /** One line per sentence; may be empty. */
  readonly lead: string
  readonly notice: SceneNotice | null
  /** A code to report; `null` for none. */
  readonly code: string | null
  readonly details: readonly SceneDetail[]
  /** What is below the texts. */
  readonly body: 'form' | 'list' | 'none'
  /** What is there instead of a form or a list. @default nothing */
  readonly content?: Content | undefined
  /** What went wrong with the entry, until it is edited. @default nothing */
  readonly error?: string | undefined
  /** Where the focus goes, as a selector. @default depends on the situation */
  readonly focus?: string | undefined
  /** The entries of the list; `null` while they are loading. */
  readonly rows: readonly SceneRow[] | null
  /** Name of the list, for screen readers. */
  readonly listName: string
  /** The hint below the field or the list if nothing else needs to be shown there. */
  readonly hint: string
  readonly primary: SceneButton | null
  /** Whether the main button takes something away. */
  readonly isDestructive: boolean
  /** The main button's label while waiting for an answer. */
  readonly busyLabel: string
  /** The second button, beside the main one. */
  readonly other: SceneButton | null
  /** Entries of *Help*, at the start of the foot. */
  readonly help: readonly SceneButton[]
  /** Other links, at the end of the foot: at most two. */
  readonly footer: readonly SceneButton[]
}
