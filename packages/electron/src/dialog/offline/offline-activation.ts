import type { LicensingClient } from '../../renderer/licensing-client.ts'
import type { LicenseReleaseCode, ReleaseCode } from '../../shared/licensing-state.ts'
import { type OfflineProblemCode, offlineProblemMessages } from '../../shared/offline-problem.ts'
import type { OfflineActivationResult, OfflineRequestResult } from '../../shared/results.ts'
import type { AdaptSituation } from '../situation/shown.ts'
import type { Situation } from '../situation/situation.ts'
import {
  type Carried,
  carry,
  type OfflineProgress,
  offlineSituation,
  releaseSituation,
} from './offline-situation.ts'

/** The element that shows the window. */
export interface OfflineElement extends HTMLElement {
  readonly client: LicensingClient
  readonly updateComplete: Promise<void>
}

/** An activation without internet: the session of its own, and what the window shows of it. */
export interface OfflineActivation {
  readonly adapt: AdaptSituation
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
 * Creates it. Nothing is asked or shown yet.
 *
 * @param update draws the window again
 * @param leave goes back to what the window showed before
 */
export function createOfflineActivation(
  element: OfflineElement,
  root: ShadowRoot,
  update: () => void,
  leave: () => void,
): OfflineActivation {
  let progress = blank
  let isShown = false
  // Increased when the user moves on, so that a late result is ignored.
  let round = 0
  const release = createReleaseCodes()

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

  const request = (licenseKeyText: string): void =>
    ask(element.client.createOfflineRequest(licenseKeyText), (result) =>
      turnTo({ step: 'request', request: carry(result) }),
    )

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
    if (typeof read === 'string') activate(read)
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
    'offline-show-release': () => {
      release.open()
      update()
    },
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
    // The element itself looks for a key to activate online.
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
    adapt: (situation, view, translator) => {
      isShown = view.intent === 'offline'
      const adapted = offlineSituation(situation, view, progress, translator, Date.now())
      return release.adapt(progress.isCopied, adapted, view, translator)
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

/** Shows the release codes of licenses that were activated without internet, and then deactivated or replaced. */
interface ReleaseCodes {
  /** The code on the screen, with the name of its file; `null` while it shows something else. */
  readonly shown: (Carried & { readonly fileName: string }) | null
  /** Shows the codes again. */
  readonly open: () => void
  /** Turns to the next code, or to what the screen showed before. */
  readonly next: () => void
  /** Changes the form that follows a deactivation, and an activated app: it shows the codes at first, and then a button. */
  adapt(isCopied: boolean, ...[situation, view, translator]: Parameters<AdaptSituation>): Situation
}

function createReleaseCodes(): ReleaseCodes {
  /** Codes that were there before, or that the user went through. `null` before the first state. */
  let seen: string | null = null
  let codes: readonly (ReleaseCode & Partial<LicenseReleaseCode>)[] = []
  let isAsked = false
  let index = 0
  let drawn: Carried | null = null
  let isShown = false

  const allTexts = (): string => codes.map(({ text }) => text).join()

  return {
    get shown() {
      const fileName = `release${index === 0 ? '' : `-${index + 1}`}.latchkey`
      return isShown && drawn !== null ? { ...drawn, fileName } : null
    },
    open: () => {
      isAsked = true
    },
    next: () => {
      index += 1
      if (index >= codes.length) {
        index = 0
        isAsked = false
        seen = allTexts()
      }
    },
    adapt(isCopied, situation, { intent, freedSeat, state }, translator) {
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
      isShown = isAsked || (isNew && (isForm || situation.facts.kind === 'activated'))
      if (!isShown) return withButton(situation, translator.text('offline.showRelease'))
      if (drawn?.text !== code.text) drawn = carry(code)
      const place = { index, count: codes.length }
      return releaseSituation(situation, { ...code, ...drawn }, place, isCopied, license !== null, translator)
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

type Result = OfflineRequestResult | OfflineActivationResult

function isDone<Outcome extends Result>(result: Outcome): result is Outcome & { readonly ok: true } {
  return result.ok
}

/**
 * Copies a text. The activation window denies the permission that `navigator.clipboard` needs, but a command that follows
 * a click needs none.
 *
 * @returns whether it was copied.
 */
function copyText(text: string): boolean {
  const onCopy = (event: ClipboardEvent): void => {
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  document.addEventListener('copy', onCopy, true)
  const isCopied = document.execCommand('copy')
  document.removeEventListener('copy', onCopy, true)
  return isCopied
}

/** Offers a text as a file to save. The system asks where. */
function saveFile(name: string, text: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/octet-stream' }))
  link.download = name
  link.click()
  // The download has started by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

/** An answer has a few thousand bytes. A file that is larger than this isn't read. */
const mostBytes = 200_000

/** Returns the text of a file that may contain an answer, or why it can't be one. Never rejects. */
async function readAnswerFile(file: Blob): Promise<string | OfflineProgress['problem']> {
  if (file.size > mostBytes) return refusal('offline-answer-too-long')
  try {
    return await file.text()
  } catch {
    // A folder that was dropped, or a drive that was unplugged.
    return refusal('no-offline-answer')
  }
}

function refusal(code: OfflineProblemCode): OfflineProgress['problem'] {
  return { code, message: offlineProblemMessages[code] }
}
