import type { LicenseReleaseCode, ReleaseCode } from '../../shared/licensing-state.ts'
import type { Scene } from '../scene/scene.ts'
import type { SessionView } from '../scene/session-view.ts'
import type { Translator } from '../scene/translator.ts'
import { drawCode } from './draw-code.ts'
import type { ShownRequest } from './offline-scene.ts'
import { plainFact, requestTemplate } from './offline-template.ts'
import type { OfflineStrings } from './strings/offline-strings.ts'

/** Shows the release codes of licenses that were activated without internet, and then deactivated or replaced. */
export interface ReleasePart {
  /** The code on the screen, with the name of its file; `null` while it shows something else. */
  readonly shown: { readonly text: string; readonly fileName: string } | null
  /** Shows the codes again. */
  readonly open: () => void
  /** Turns to the next code, or to what the screen showed before. Draws nothing. */
  readonly next: () => void
  /** Changes the form that follows a deactivation, and an activated app: it shows the codes at first, and then a button. */
  adapt(
    scene: Scene,
    view: SessionView,
    isCopied: boolean,
    texts: OfflineStrings,
    translator: Translator,
  ): Scene
}

type ShownCode = ReleaseCode & Partial<LicenseReleaseCode>

/** Creates the part. @param update draws the screen again */
export function createReleasePart(update: () => void): ReleasePart {
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
    const blank = { text, address, code: null }
    drawn = blank
    void drawCode(link).then((code) => {
      if (drawn !== blank) return
      drawn = { ...blank, code }
      update()
    })
    return blank
  }

  const texts = (): string => codes.map(({ text }) => text).join()

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
        seen = texts()
      }
    },
    adapt(scene, { intent, freedSeat, state }, isCopied, strings, translator) {
      isShown = false
      if (state === null) return scene
      const { license, releaseCode } = state
      // An app's own bridge may know only the latest one.
      codes = state.releaseCodes ?? (releaseCode ? [releaseCode] : [])
      // A code that was just made is shown without asking.
      seen ??= freedSeat === null ? texts() : ''
      const isNew = codes.some(({ text }) => !seen?.includes(text))
      const isForm = scene.body === 'form'
      if (index >= codes.length) index = 0
      const code = codes[index]
      if (code === undefined || intent !== null || !(isForm || license)) return scene
      const isOpen = isAsked || (isNew && (isForm || scene.situation.kind === 'activated'))
      if (!isOpen) return withButton(scene, strings)
      isShown = true
      const { text, number } = translator
      const labels = {
        what: strings.releaseCode,
        code: strings.releaseCode,
        copy: isCopied ? text('copied') : strings.copyText,
      }
      const isOfMany = codes.length > 1
      // Which license it is about, if there is more than one.
      const first = isOfMany || license ? plainFact(text('keyLabel'), code.maskedKey ?? '') : null
      // The first sentence is wrong while another license is in use: the device isn't deactivated.
      const lead = strings.releaseLead.replace(license ? /.*\n/u : '', '')
      return {
        ...scene,
        situation: { kind: 'offline-release', isChecking: false, notice: null },
        isLit: true,
        badge: 'done',
        heading: strings.releaseHeading,
        lead: isOfMany ? `${lead}\n${number(index + 1)} / ${number(codes.length)}` : lead,
        notice: null,
        code: null,
        details: [],
        body: 'none',
        content: requestTemplate(drawnOf(code), labels, strings, first),
        primary: { action: 'offline-close-release', label: text('continue') },
        other: null,
        footer: [],
      }
    },
  }
}

/** After a deactivation it is beside the main button, and in the help menu while there is something else. */
function withButton(scene: Scene, { showRelease: label }: OfflineStrings): Scene {
  const show = { action: 'offline-show-release', label } as const
  return scene.body === 'form' && scene.other === null
    ? { ...scene, other: show }
    : { ...scene, help: [...scene.help, show] }
}
