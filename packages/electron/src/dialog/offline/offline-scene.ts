import type { LicenseSummary } from '../../shared/licensing-state.ts'
import {
  type OfflineProblem,
  type OfflineProblemCode,
  offlineProblemMessages,
} from '../../shared/offline-problem.ts'
import type { Scene } from '../scene/scene.ts'
import type { SessionView } from '../scene/session-view.ts'
import type { Translator } from '../scene/translator.ts'
import type { DrawnCode } from './draw-code.ts'
import { answerTemplate, requestTemplate } from './offline-template.ts'
import type { OfflineStrings } from './strings/offline-strings.ts'

/** A request to carry to another device. */
export interface ShownRequest {
  /** For a file, or to copy. */
  readonly text: string
  /** Address of the page that answers requests. */
  readonly address: string
  /** The page's address with the request; `null` if it is too long for a QR code. */
  readonly code: DrawnCode | null
}

/** How far an activation without internet is. */
export interface OfflineProgress {
  readonly step: 'key' | 'request' | 'answer'
  /** The request; `null` before the first. */
  readonly request: ShownRequest | null
  readonly isBusy: boolean
  /** Whether the text of the request was just copied. */
  readonly isCopied: boolean
  /** What is wrong with the key or the answer; `null` if nothing. */
  readonly problem: Pick<OfflineProblem, 'code' | 'message'> | null
}

/** How long before its end an activation without internet is shown as ending, in milliseconds. */
const noticeMs = 10 * 86_400_000

/** Changes the screen's scene to one of an activation without internet. Other scenes stay as they are. */
export function offlineScene(
  scene: Scene,
  { intent, state }: SessionView,
  progress: OfflineProgress,
  texts: OfflineStrings,
  translator: Translator,
  nowMs: number,
): Scene {
  const license = state?.license ?? null
  const validUntil = license?.validUntil
  if (intent !== 'offline') {
    return scene.situation.kind === 'activated' && license !== null && validUntil !== undefined
      ? whileActive(scene, license, validUntil, texts, translator, nowMs)
      : scene
  }
  const { step, request, isBusy, problem } = progress
  const base = { isChecking: isBusy, notice: null }
  const cancel = { action: 'back', label: translator.text('cancel') } as const
  const shared: Scene = {
    ...scene,
    notice: null,
    body: 'none',
    busyLabel: translator.text('working'),
    other: cancel,
    footer: [],
  }
  if (step === 'key' || (step === 'request' && request === null)) {
    return {
      ...shared,
      situation: { kind: 'offline', ...base },
      body: 'form',
      heading: texts.heading,
      lead: texts.lead,
      hint: translator.text('enterLead'),
      primary: { action: 'offline-request', label: translator.text('continue') },
      ...(problem !== null && { error: problemText(problem, texts, translator) }),
    }
  }
  if (step === 'request' && request !== null) {
    const { code } = request
    return {
      ...shared,
      situation: { kind: 'offline-request', ...base },
      heading: code === null ? texts.fileHeading : texts.requestHeading,
      lead: code === null ? texts.fileLead : texts.requestLead,
      content: requestTemplate(
        request,
        {
          what: texts.request,
          code: texts.code,
          copy: progress.isCopied ? translator.text('copied') : texts.copyText,
        },
        texts,
      ),
      primary: { action: 'offline-answer', label: texts.enterAnswer },
    }
  }
  const error = problem === null ? '' : problemText(problem, texts, translator)
  return {
    ...shared,
    situation: { kind: 'offline-answer', ...base },
    heading: texts.answerHeading,
    lead: texts.answerLead,
    content: answerTemplate(error, isBusy, texts),
    error,
    focus: '#answer',
    primary: { action: 'offline-activate', label: translator.text('activate') },
    other: { action: 'offline-choose-file', label: texts.chooseFile },
    footer: [{ action: 'offline-show-request', label: texts.showRequest }],
  }
}

/** An activated app says until when, and in time how to renew. */
function whileActive(
  scene: Scene,
  license: LicenseSummary,
  validUntil: string,
  texts: OfflineStrings,
  translator: Translator,
  nowMs: number,
): Scene {
  const date = translator.date(validUntil)
  const renew = { action: 'offline', label: translator.text('activateOffline') } as const
  const isEnding = Date.parse(validUntil) - nowMs < noticeMs
  return {
    ...scene,
    // A license without an end would contradict it, and another end needs its own name.
    details: scene.details.flatMap((row) => {
      if (row.label !== translator.text('validUntil')) return row
      return license.expiresAt ? { ...row, label: texts.licenseEnds } : []
    }),
    ...(scene.lead !== '' && { lead: texts.activeUntil.replace('{date}', date) }),
    ...(isEnding &&
      scene.notice === null && {
        lead: '',
        notice: { tone: 'warning', text: texts.endsSoon.replace('{date}', date) },
      }),
    // Prominent only when it is time to renew.
    ...(isEnding ? { other: renew } : { help: [...scene.help, renew] }),
  }
}

/** What happened and what to do, one line per sentence. */
function problemText(
  { code, message }: Pick<OfflineProblem, 'code' | 'message'>,
  { problems }: OfflineStrings,
  { problem, sentences }: Translator,
): string {
  return isAboutAnswer(code) ? sentences(problems[code]) : problem({ code, message })
}

function isAboutAnswer(code: OfflineProblem['code']): code is OfflineProblemCode {
  return Object.hasOwn(offlineProblemMessages, code)
}
