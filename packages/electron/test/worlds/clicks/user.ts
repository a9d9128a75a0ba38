import type { ActivationSession } from '../../../src/dialog/session/activation-session.ts'
import { situationOf } from '../../../src/dialog/situation/describe-situation.ts'
import type { ButtonAction, Situation } from '../../../src/dialog/situation/situation.ts'
import { createTranslator } from '../../../src/dialog/situation/translator.ts'
import { isUncertain } from '../../../src/shared/problem.ts'
import { english } from '../../../src/texts/load-strings.ts'
import { openScreenOn } from '../../dialog/stage/device-screen.ts'
import type { Computer } from '../computer.ts'

const translator = createTranslator(english, {}, 'Inkpad')

/** A user in front of the activation window. */
export interface User {
  /** What the window shows. */
  readonly scene: Situation
  /** What the buttons do that can be clicked now. */
  readonly buttons: readonly ButtonAction[]
  /** Whether the window says that an earlier request may have taken a seat, or that the settings are wrong. */
  readonly isWarned: boolean
  openWindow(): Promise<void>
  closeWindow(): void
  /** Enters a license key, if there is a form or a button that opens one. Returns whether there is. */
  enter(licenseKey: string): boolean
  /** Clicks a button of the screen. */
  click(action: ButtonAction, licenseKey: string): Promise<void>
}

export function createUser(computer: Computer): User {
  let session: ActivationSession | null = null

  const opened = (): ActivationSession => {
    if (session === null) throw new Error('The window is closed.')
    return session
  }
  const sceneNow = (): Situation =>
    situationOf(opened().view, { translator, links: [] }, computer.clock.now())
  const buttonsOf = ({
    primary,
    other,
    hintButton,
    footer,
    help,
    facts,
  }: Situation): readonly ButtonAction[] =>
    [
      ...(facts.isChecking ? [] : [primary, other, hintButton]),
      ...(facts.isChecking ? [] : footer),
      ...help,
    ].flatMap((button) => (button === null ? [] : [button.action]))

  const user: User = {
    get scene() {
      return sceneNow()
    },
    get buttons() {
      return buttonsOf(sceneNow())
    },
    get isWarned() {
      const { facts } = sceneNow()
      // An error in the settings has its own words, because trying again won't help.
      if (facts.kind === 'misconfigured') return true
      return isUncertain(facts.notice) || isUncertain(facts.problem)
    },
    async openWindow() {
      user.closeWindow()
      session = (await openScreenOn(computer)).session
    },
    closeWindow() {
      session?.stop()
    },
    enter(licenseKey) {
      const toForm = user.buttons.find((action) => action === 'enterKey' || action === 'changeKey')
      if (sceneNow().body !== 'form' && toForm !== undefined) opened()[toForm]()
      const isForm = sceneNow().body === 'form' && !sceneNow().facts.isChecking
      if (isForm) opened().activate(licenseKey)
      return isForm
    },
    async click(action, licenseKey) {
      if (action === 'activate') user.enter(licenseKey)
      else if (action === 'continue') await user.openWindow()
      else if (action === 'release') {
        const { rows } = sceneNow()
        const row = rows?.find(({ label }) => !label.startsWith(labelOfThis)) ?? rows?.[0]
        if (row !== undefined) opened().release(row.id)
      } else if (action !== 'copyDetails') Reflect.get(opened(), action)?.()
    },
  }
  return user
}

/** The start of this computer's name. */
export const labelOfThis = 'Mine'
