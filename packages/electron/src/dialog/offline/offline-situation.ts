import encodeQR from 'qr'
import type { LicenseSummary } from '../../shared/licensing-state.ts'
import type { OfflineProblem } from '../../shared/offline-problem.ts'
import type { SessionView } from '../session/session-view.ts'
import { type DrawnCode, errorNotice, type Situation } from '../situation/situation.ts'
import type { Translator } from '../situation/translator.ts'

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

/** Changes a situation to one of an activation without internet. Others stay as they are. */
export function offlineSituation(
  situation: Situation,
  { intent, state }: SessionView,
  progress: OfflineProgress,
  translator: Translator,
  nowMs: number,
): Situation {
  const { text } = translator
  const license = state?.license ?? null
  const validUntil = license?.validUntil
  if (intent !== 'offline') {
    return situation.facts.kind === 'activated' && license !== null && validUntil !== undefined
      ? whileActive(situation, license, validUntil, translator, nowMs)
      : situation
  }
  const { step, request, isBusy, problem } = progress
  const base = { isChecking: isBusy, notice: null }
  const cancel = { action: 'back', label: text('cancel') } as const
  const busyLabel = text('working')
  const error = problem && errorNotice(problem, translator)
  const shared: Situation = {
    ...situation,
    notice: null,
    body: 'none',
    error,
    other: cancel,
    footer: [],
  }
  if (step === 'key' || (step === 'request' && request === null)) {
    return {
      ...shared,
      facts: { kind: 'offline', ...base },
      body: 'form',
      heading: text('offline.heading'),
      lead: text('offline.lead'),
      hint: text('enterLead'),
      primary: { action: 'offline-request', label: text('continue'), busyLabel },
    }
  }
  if (step === 'request' && request !== null) {
    const { code } = request
    return {
      ...shared,
      facts: { kind: 'offline-request', ...base },
      heading: code === null ? text('offline.fileHeading') : text('offline.requestHeading'),
      lead: code === null ? text('offline.fileLead') : text('offline.requestLead'),
      content: {
        name: text('offline.request'),
        code,
        codeName: text('offline.code'),
        address: request.address,
        maskedKey: null,
        copyLabel: progress.isCopied ? text('copied') : text('offline.copyText'),
      },
      primary: { action: 'offline-answer', label: text('offline.enterAnswer') },
    }
  }
  return {
    ...shared,
    facts: { kind: 'offline-answer', ...base },
    heading: text('offline.answerHeading'),
    lead: text('offline.answerLead'),
    content: 'answer',
    focus: '#answer',
    primary: { action: 'offline-activate', label: text('activate'), busyLabel },
    other: { action: 'offline-choose-file', label: text('offline.chooseFile') },
    footer: [{ action: 'offline-show-request', label: text('offline.showRequest') }],
  }
}

/** An activated app says until when, and in time how to renew. */
function whileActive(
  situation: Situation,
  license: LicenseSummary,
  validUntil: string,
  translator: Translator,
  nowMs: number,
): Situation {
  const { text } = translator
  const date = translator.date(validUntil)
  const renew = { action: 'offline', label: text('activateOffline') } as const
  const isEnding = Date.parse(validUntil) - nowMs < noticeMs
  return {
    ...situation,
    // A license without an end would contradict it, and another end needs its own name.
    details: situation.details.flatMap((row) => {
      if (row.label !== text('validUntil')) return row
      return license.expiresAt ? { ...row, label: text('offline.licenseEnds') } : []
    }),
    ...(situation.lead !== '' && { lead: text('offline.activeUntil', { date }) }),
    ...(isEnding &&
      situation.notice === null && {
        lead: '',
        notice: { tone: 'warning', text: text('offline.endsSoon', { date }) },
      }),
    // Prominent only when it is time to renew.
    ...(isEnding ? { other: renew } : { help: [...situation.help, renew] }),
  }
}

/** The most modules that a phone still reads from a display of ordinary density. */
const mostModules = 125

/** Draws a text as a QR code; `null` if it is too long for one. */
export function drawCode(text: string): DrawnCode | null {
  try {
    const rows = encodeQR(text, 'raw', { ecc: 'low', border: 4 })
    if (rows.length > mostModules) return null
    const path = rows
      .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
      .join('')
    return { size: rows.length, path }
  } catch {
    return null
  }
}
