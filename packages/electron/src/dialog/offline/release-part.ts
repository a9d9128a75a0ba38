import type { Scene } from '../scene/scene.ts'
import type { SessionView } from '../scene/session-view.ts'
import type { Translator } from '../scene/translator.ts'
import { drawCode } from './draw-code.ts'
import type { ShownRequest } from './offline-scene.ts'
import { requestTemplate } from './offline-template.ts'
import type { OfflineStrings } from './strings/offline-strings.ts'

/** Shows the release code of a device that was deactivated without internet. */
export interface ReleasePart {
  /** The code on the screen; `null` while it shows something else. */
  readonly shown: ShownRequest | null
  /** Shows the code again. */
  readonly open: () => void
  readonly close: () => void
  /** Changes the form that follows a deactivation: it shows the code at first, and then a button for it. */
  adapt(
    scene: Scene,
    view: SessionView,
    isCopied: boolean,
    texts: OfflineStrings,
    translator: Translator,
  ): Scene
}

/** Creates the part. @param update draws the screen again */
export function createReleasePart(update: () => void): ReleasePart {
  // What the user chose for this code; a code that was just made is shown without asking.
  let choice: { readonly text: string; readonly isOpen: boolean } | null = null
  let known = ''
  let drawn: ShownRequest | null = null
  let isShown = false

  const choose = (isOpen: boolean): void => {
    choice = { text: known, isOpen }
    update()
  }

  /** The code, which is drawn when it is first shown. */
  const drawnOf = ({ text, link }: { readonly text: string; readonly link: string }): ShownRequest => {
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

  return {
    get shown() {
      return isShown ? drawn : null
    },
    open: () => choose(true),
    close: () => choose(false),
    adapt(scene, { intent, freedSeat, state }, isCopied, texts, translator) {
      const code = state?.releaseCode
      isShown = false
      if (code === undefined || intent !== null || scene.body !== 'form') return scene
      known = code.text
      const isOpen = choice?.text === known ? choice.isOpen : freedSeat !== null
      if (!isOpen) return withButton(scene, texts)
      isShown = true
      const labels = {
        what: texts.releaseCode,
        code: texts.releaseCode,
        copy: isCopied ? translator.text('copied') : texts.copyText,
      }
      return {
        ...scene,
        situation: { kind: 'offline-release', isChecking: false, notice: null },
        badge: 'done',
        heading: texts.releaseHeading,
        lead: texts.releaseLead,
        notice: null,
        body: 'none',
        content: requestTemplate(drawnOf(code), labels, texts),
        primary: { action: 'offline-close-release', label: translator.text('continue') },
        other: null,
        footer: [],
      }
    },
  }
}

function withButton(scene: Scene, { showRelease: label }: OfflineStrings): Scene {
  const show = { action: 'offline-show-release', label } as const
  return scene.other === null ? { ...scene, other: show } : { ...scene, help: [...scene.help, show] }
}
