import type { ActivationLink } from '../../shared/activation-screen.ts'
import type { ActivationSession } from '../session/activation-session.ts'
import type { ScreenAction, SessionAction } from './scene.ts'

/** Whether the screen itself does what a button says. */
export function isScreenAction(actions: object, name: string): name is ScreenAction {
  return Object.hasOwn(actions, name)
}

/** Whether only the session does it. Its methods with arguments have the names of actions of the screen. */
export function isSessionAction(session: ActivationSession | null, name: string): name is SessionAction {
  return session !== null && name in session
}

/** Whether it opens one of the links that are offered. */
export function isLink(links: readonly string[] = [], name: string): name is ActivationLink {
  return links.includes(name)
}
