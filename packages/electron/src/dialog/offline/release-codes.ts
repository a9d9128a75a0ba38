import type { LicenseReleaseCode, ReleaseCode } from '../../shared/licensing-state.ts'
import type { AdaptSituation } from '../situation/shown.ts'
import type { Situation } from '../situation/situation.ts'
import { drawCode, type ShownRequest } from './offline-situation.ts'

/** Shows the release codes of licenses that were activated without internet, and then deactivated or replaced. */
export interface ReleaseCodes {
  /** The code on the screen, with the name of its file; `null` while it shows something else. */
  readonly shown: { readonly text: string; readonly fileName: string } | null
  /** Shows the codes again. */
  readonly open: () => void
  /** Turns to the next code, or to what the screen showed before. Draws nothing. */
  readonly next: () => void
  /** Changes the form that follows a deactivation, and an activated app: it shows the codes at first, and then a button. */
  adapt(isCopied: boolean, ...[situation, view, translator]: Parameters<AdaptSituation>): Situation
}

type ShownCode = ReleaseCode & Partial<LicenseReleaseCode>

/** Creates what shows them. @param update draws the window again */
export function createReleaseCodes(update: () => void): ReleaseCodes {
  /** Codes that were there before, or that the user went through. `null` before the first state. */
  let seen: string | null = null
  let codes: readonly ShownCode[] = []
  let isAsked = false
  let index = 0
  let drawn: ShownRequest | null = null
  let isShown = false

  /** The code, which is drawn when it is first shown. */
  const drawnOf = ({ text, link }: ReleaseCode): ShownRequest => {
    if (drawn?.text === text) return drawn
    const [address = ''] = link.split('#')
    drawn = { text, address, code: drawCode(link) }
    return drawn
  }

  const allTexts = (): string => codes.map(({ text }) => text).join()

  return {
    get shown() {
      const fileName = `release${index === 0 ? '' : `-${index + 1}`}.latchkey`
      return isShown && drawn !== null ? { text: drawn.text, fileName } : null
    },
    open: () => {
      isAsked = true
      update()
    },
    next: () => {
      index += 1
      if (index >= codes.length) {
        index = 0
        isAsked = false
        seen = allTexts()
      }
    },
    adapt(isCopied, situation, { intent, freedSeat, state }, { offline: texts, text, number }) {
      isShown = false
      if (state === null) return situation
      const { license, releaseCode } = state
      // An app's own bridge may know only the latest one.
      codes = state.releaseCodes ?? (releaseCode ? [releaseCode] : [])
      // A code that was just made is shown without asking.
      seen ??= freedSeat === null ? allTexts() : ''
      const isNew = codes.some(({ text }) => !seen?.includes(text))
      const isForm = situation.body === 'form'
      if (index >= codes.length) index = 0
      const code = codes[index]
      if (code === undefined || intent !== null || !(isForm || license)) return situation
      const isOpen = isAsked || (isNew && (isForm || situation.facts.kind === 'activated'))
      if (!isOpen) return withButton(situation, texts.showRelease)
      isShown = true
      const isOfMany = codes.length > 1
      // The first sentence is wrong while another license is in use: the device isn't deactivated.
      const lead = texts.releaseLead.replace(license ? /.*\n/u : '', '')
      return {
        ...situation,
        facts: { kind: 'offline-release', isChecking: false, notice: null },
        isLit: true,
        badge: 'done',
        heading: texts.releaseHeading,
        lead: isOfMany ? `${lead}\n${number(index + 1)} / ${number(codes.length)}` : lead,
        notice: null,
        code: null,
        details: [],
        body: 'none',
        content: {
          name: texts.releaseCode,
          codeName: texts.releaseCode,
          ...drawnOf(code),
          // Which license it is about, if there is more than one.
          maskedKey: isOfMany || license ? (code.maskedKey ?? '') : null,
          copyLabel: isCopied ? text('copied') : texts.copyText,
        },
        primary: { action: 'offline-close-release', label: text('continue') },
        other: null,
        footer: [],
      }
    },
  }
}

/** After a deactivation it is beside the main button, and in the help menu while there is something else. */
function withButton(situation: Situation, label: string): Situation {
  const show = { action: 'offline-show-release', label } as const
  return situation.body === 'form' && situation.other === null
    ? { ...situation, other: show }
    : { ...situation, help: [...situation.help, show] }
}
