import type { ActivationLink } from '../../shared/activation-screen.ts'
import type { ActivationSession } from '../session/activation-session.ts'
import type { SituationFacts } from './decide-situation.ts'

/** What only the session does: the methods without arguments. */
export type SessionAction = {
  [Name in keyof ActivationSession]: ActivationSession[Name] extends () => void ? Name : never
}[keyof ActivationSession]

/** What the element does on its own or together with the session. */
export type ElementAction =
  | 'activate'
  | 'choose-key'
  | 'release'
  | 'continue'
  | 'remove-token'
  | 'offline'
  | 'request-offline'
  | 'activate-offline'
  | 'choose-file'
  | 'save-file'
  | 'copy-text'

/** What a button does. */
export type ButtonAction = ElementAction | SessionAction | ActivationLink

/** A button. */
export interface Button {
  readonly action: ButtonAction
  readonly label: string
  /** Its label while waiting for an answer. @default the button never waits for one */
  readonly busyLabel?: string
}

/** The badge on the logo. */
export type Badge = 'done' | 'offline' | 'clock' | 'warning' | 'stopped' | 'devices'

/** Success, warning or error; `null` for none. */
export type Tone = 'success' | 'warning' | 'danger' | null

/** A message in a box of its own: a problem besides the main content, or a confirmation. */
export interface Notice {
  readonly tone: Tone
  readonly text: string
  /** An address to copy by hand. */
  readonly address?: string
}

/** One line of the details. */
export interface Detail {
  readonly label: string
  readonly value: string
  /** Whether the user may need to compare the value letter by letter. */
  readonly isCode?: boolean
  /** Seats in use and seats in total, to be drawn; `null` for none. */
  readonly seats?: { readonly used: number; readonly limit: number } | null
  /** What can be done with it, instead of a value. */
  readonly ways?: readonly Button[]
}

/** One entry of a list to choose from. */
export interface Row {
  readonly id: string
  readonly label: string
  /** A second, smaller line; may be empty. */
  readonly detail: string
  readonly isCode: boolean
}

/** One situation as texts and buttons: everything that is drawn except the text of the field. */
export interface Situation {
  readonly facts: SituationFacts
  /** Whether the logo lights the window. Off when the license has stopped. */
  readonly isLit: boolean
  readonly badge: Badge | null
  readonly heading: string
  /** One line per sentence; may be empty. */
  readonly lead: string
  /** A line below the lead that changes every second; may be empty, and keeps its place. `null` for none. */
  readonly status: string | null
  readonly notice: Notice | null
  /** A code to report; `null` for none. */
  readonly code: string | null
  readonly details: readonly Detail[]
  /** An address to draw as a QR code, and its name for screen readers; `null` for none. */
  readonly scan: { readonly address: string; readonly name: string } | null
  /** What is below the texts. */
  readonly body: 'form' | 'answer' | 'list' | 'none'
  /** The entries of the list; `null` while they are loading. */
  readonly rows: readonly Row[] | null
  /** Name of the list, for screen readers. */
  readonly listName: string
  /** The hint below the field or the list if nothing else needs to be shown there. */
  readonly hint: string
  /** A button in the same line as the hint; `null` for none. */
  readonly hintButton: Button | null
  /** What went wrong with the entry, until it is edited; `null` if nothing. */
  readonly error: Notice | null
  /** What to say if the form is submitted without a choice. */
  readonly choiceError: string
  readonly primary: Button | null
  /** Whether the main button takes something away. */
  readonly isDestructive: boolean
  /** The second button, beside the main one. */
  readonly other: Button | null
  /** Entries of *Help*, at the start of the foot. */
  readonly help: readonly Button[]
  /** Other links, at the end of the foot: at most two. */
  readonly footer: readonly Button[]
}
