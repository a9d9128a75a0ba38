import type { LicensingClient } from '../../renderer/licensing-client.ts'
import type { OfflineActivationResult, OfflineRequestResult } from '../../shared/results.ts'
import type { AdaptScene } from '../scene/screen-frame.ts'
import { offlineStyles } from '../styles/offline.ts'
import { copyText } from './copy-text.ts'
import { drawCode } from './draw-code.ts'
import { type OfflineProgress, offlineScene } from './offline-scene.ts'
import { readAnswerFile } from './read-answer-file.ts'
import { createReleasePart } from './release-part.ts'
import { saveFile } from './save-file.ts'
import { loadOfflineStrings, replacedStrings } from './strings/load-offline-strings.ts'

/** The element that shows the screen. */
export interface OfflineElement extends HTMLElement {
  readonly client: LicensingClient
  readonly updateComplete: Promise<void>
}

/** An activation without internet, loaded when the user starts one. */
export interface OfflineScreen {
  readonly adapt: AdaptScene
  /** Starts with a license key, or asks for one if the text is empty. */
  open(licenseKeyText: string): void
  /** Shows an answer that was opened as a link. */
  openAnswer(text: string): void
  /** Does what a button says. @param text what is in the field for the license key; `null` if there is none */
  act(action: string, text: string | null): void
}

/** How long the button says that the text was copied, in milliseconds. */
const copiedMs = 3_000

const unexpected = { code: 'unexpected', message: '' } as const

const blank: OfflineProgress = { step: 'key', request: null, isBusy: false, isCopied: false, problem: null }

/**
 * Loads the texts, and creates the screen's part for activations without internet.
 *
 * @param firstLocale the screen's locale now. It follows later changes.
 * @param update draws the screen again
 * @param leave goes back to what the screen showed before
 */
export async function createOfflineScreen(
  element: OfflineElement,
  root: ShadowRoot,
  firstLocale: string | undefined,
  update: () => void,
  leave: () => void,
): Promise<OfflineScreen> {
  let progress = blank
  let locale = firstLocale ?? 'en'
  let texts = await loadOfflineStrings(locale)
  let isShown = false
  // Increased when the user moves on, so that a late result is ignored.
  let round = 0

  const sheet = new CSSStyleSheet()
  sheet.replaceSync(offlineStyles)
  root.adoptedStyleSheets.push(sheet)

  const show = (change: Partial<OfflineProgress>): void => {
    progress = { ...progress, ...change }
    update()
  }
  const turnTo = (change: Partial<OfflineProgress>): number => {
    round += 1
    show({ isBusy: false, isCopied: false, problem: null, ...change })
    return round
  }
  /** Waits for a result, and shows why if there is none. */
  const ask = <Result extends OfflineRequestResult | OfflineActivationResult>(
    asked: Promise<Result>,
    use: (result: Result & { readonly ok: true }) => unknown,
  ): void => {
    const mine = turnTo({ isBusy: true })
    asked
      .then((result) => {
        if (mine !== round) return undefined
        return isDone(result) ? use(result) : turnTo({ problem: result.ok ? null : result.problem })
      })
      .catch(() => mine === round && turnTo({ problem: unexpected }))
  }

  const release = createReleasePart(update)

  const request = (licenseKeyText: string): void =>
    ask(element.client.createOfflineRequest(licenseKeyText), async ({ text, link }) => {
      const mine = round
      const code = await drawCode(link)
      const [address = ''] = link.split('#')
      if (mine === round) turnTo({ step: 'request', request: { text, address, code } })
    })

  const activate = (text: string): void => {
    if (progress.isBusy) return
    ask(element.client.activateOffline(text), () => {
      progress = blank
      leave()
    })
  }

  const carriedText = (): string => (release.shown ?? progress.request)?.text ?? ''

  const answerField = (): HTMLTextAreaElement | null => root.querySelector('#answer')

  const useFile = async (file: File): Promise<void> => {
    const mine = turnTo({ step: 'answer' })
    const read = await readAnswerFile(file)
    if (mine !== round) return
    if (read.ok) activate(read.text)
    else show({ problem: read })
  }

  const enterText = async (text: string): Promise<void> => {
    turnTo({ step: 'answer' })
    await element.updateComplete
    const field = answerField()
    if (field !== null) field.value = text
  }

  const chooseFile = (): void => {
    const picker = document.createElement('input')
    picker.type = 'file'
    picker.onchange = () => {
      const [file] = picker.files ?? []
      if (file !== undefined) void useFile(file)
    }
    picker.click()
  }

  const actions: Readonly<Record<string, (text: string | null) => void>> = {
    'offline-request': (text) => request(text ?? ''),
    'offline-answer': () => turnTo({ step: 'answer' }),
    // Only the license key leads to the request if the answer came as a link.
    'offline-show-request': () => turnTo({ step: progress.request === null ? 'key' : 'request' }),
    'offline-activate': () => activate(answerField()?.value ?? ''),
    'offline-choose-file': chooseFile,
    'offline-show-release': release.open,
    'offline-close-release': () => {
      release.next()
      // The next one isn't copied yet.
      turnTo({})
    },
    'offline-save-file': () => saveFile(release.shown?.fileName ?? 'request.latchkey', carriedText()),
    'offline-copy-text': () => {
      if (!copyText(carriedText())) return
      const mine = turnTo({ isCopied: true })
      setTimeout(() => mine === round && show({ isCopied: false }), copiedMs)
    },
  }

  /** What is dropped or pasted is an answer, wherever the pointer or the focus is. */
  const take = (event: DragEvent | ClipboardEvent, data: DataTransfer | null): void => {
    if (!isShown || progress.isBusy) return
    // The screen itself looks for a key to activate online.
    event.stopPropagation()
    if (progress.step === 'key') return
    const [file] = data?.files ?? []
    const isInField = event.composedPath()[0] === answerField()
    if (file === undefined && isInField) return
    event.preventDefault()
    if (file !== undefined) void useFile(file)
    else void enterText(data?.getData('text/plain') ?? '')
  }
  element.addEventListener('paste', (event) => take(event, event.clipboardData), true)
  element.addEventListener('drop', (event) => take(event, event.dataTransfer), true)
  element.addEventListener('dragover', (event) => isShown && event.preventDefault())

  return {
    adapt: (scene, view, translator) => {
      isShown = view.intent === 'offline'
      if (locale !== translator.locale) {
        locale = translator.locale
        void loadOfflineStrings(locale).then((loaded) => {
          if (locale !== translator.locale) return
          texts = loaded
          update()
        })
      }
      const shown = replacedStrings(texts, translator)
      const adapted = offlineScene(scene, view, progress, shown, translator, Date.now())
      return release.adapt(adapted, view, progress.isCopied, shown, translator)
    },
    open: (licenseKeyText) => {
      progress = blank
      if (licenseKeyText.trim() === '') turnTo({})
      else request(licenseKeyText)
    },
    openAnswer: (text) => {
      progress = blank
      void enterText(text)
    },
    act: (action, text) => actions[action]?.(text),
  }
}

type Result = OfflineRequestResult | OfflineActivationResult

function isDone<Outcome extends Result>(result: Outcome): result is Outcome & { readonly ok: true } {
  return result.ok
}
