import encodeQR from 'qr'
import type { LicenseReleaseCode, LicensingState, ReleaseCode } from '../../shared/licensing-state.ts'
import type { OfflineProblem } from '../../shared/offline-problem.ts'
import type { SessionView } from '../session/session-view.ts'
import { type DrawnCode, errorNotice, type Situation } from '../situation/situation.ts'
import type { Translator } from '../situation/translator.ts'

/** A text to carry to another device: a request, or a release code. */
export interface Carried {
  /** For a file, or to copy. */
  readonly text: string
  /** Address of the page that takes it. */
  readonly address: string
  /** The page's address with the text; `null` if it is too long for a QR code. */
  readonly code: Omit<DrawnCode, 'name'> | null
}

/** How far an activation without internet is. */
export interface OfflineProgress {
  readonly step: 'key' | 'request' | 'answer'
  /** The request; `null` before the first. */
  readonly request: Carried | null
  readonly isBusy: boolean
  /** Whether the text on the screen was just copied. */
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
  if (intent !== 'offline') return whileActive(situation, state, translator, nowMs)
  const { step, request, isBusy, isCopied, problem } = progress
  const base = { ...situation.facts, isChecking: isBusy }
  const busyLabel = text('working')
  const shared: Situation = {
    ...situation,
    notice: null,
    body: 'none',
    error: problem && errorNotice(problem, translator),
    other: { action: 'back', label: text('cancel') },
    footer: [],
  }
  if (step === 'answer') {
    return {
      ...shared,
      facts: { ...base, kind: 'offline-answer' },
      heading: text('offline.answerHeading'),
      lead: text('offline.answerLead'),
      body: 'answer',
      hint: '',
      primary: { action: 'offline-activate', label: text('activate'), busyLabel },
      other: { action: 'offline-choose-file', label: text('offline.chooseFile') },
      footer: [{ action: 'offline-show-request', label: text('offline.showRequest') }],
    }
  }
  if (step === 'request' && request !== null) {
    const isDrawn = request.code !== null
    return {
      ...shared,
      facts: { ...base, kind: 'offline-request' },
      heading: text(isDrawn ? 'offline.requestHeading' : 'offline.fileHeading'),
      lead: text(isDrawn ? 'offline.requestLead' : 'offline.fileLead'),
      ...carriedParts(request, text('offline.request'), text('offline.code'), isCopied, translator),
      primary: { action: 'offline-answer', label: text('offline.enterAnswer') },
    }
  }
  return {
    ...shared,
    facts: { ...base, kind: 'offline' },
    body: 'form',
    heading: text('offline.heading'),
    lead: text('offline.lead'),
    hint: text('enterLead'),
    primary: { action: 'offline-request', label: text('continue'), busyLabel },
  }
}

/** An activated app says until when, and in time how to renew. */
function whileActive(
  situation: Situation,
  state: LicensingState | null,
  { text, date: dateOf }: Translator,
  nowMs: number,
): Situation {
  const { validUntil, expiresAt } = state?.license ?? {}
  if (situation.facts.kind !== 'activated' || validUntil === undefined) return situation
  const date = dateOf(validUntil)
  const renew = { action: 'offline', label: text('activateOffline') } as const
  const isEnding = Date.parse(validUntil) - nowMs < noticeMs
  return {
    ...situation,
    // A license without an end would contradict it, and another end needs its own name.
    details: situation.details.flatMap((row) => {
      if (row.label !== text('validUntil')) return row
      return expiresAt ? { ...row, label: text('offline.licenseEnds') } : []
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

/** Changes a situation to one that shows a release code. @param place which one it is, counted from 0, of how many */
export function releaseSituation(
  situation: Situation,
  code: Carried & Pick<Partial<LicenseReleaseCode>, 'maskedKey'>,
  place: { readonly index: number; readonly count: number },
  isCopied: boolean,
  hasLicense: boolean,
  translator: Translator,
): Situation {
  const { text, number } = translator
  const isOfMany = place.count > 1
  const name = text('offline.releaseCode')
  const { details, drawnCode } = carriedParts(code, name, name, isCopied, translator)
  // The first sentence is wrong while another license is in use: the device isn't deactivated.
  const lead = text('offline.releaseLead').replace(hasLicense ? /.*\n/u : '', '')
  return {
    ...situation,
    facts: { ...situation.facts, kind: 'offline-release', isChecking: false, notice: null },
    isLit: true,
    badge: 'done',
    heading: text('offline.releaseHeading'),
    lead: isOfMany ? `${lead}\n${number(place.index + 1)} / ${number(place.count)}` : lead,
    notice: null,
    code: null,
    drawnCode,
    // Which license it is about, if there is more than one.
    details:
      isOfMany || hasLicense
        ? [{ label: text('keyLabel'), value: code.maskedKey ?? '' }, ...details]
        : details,
    body: 'none',
    primary: { action: 'offline-close-release', label: text('continue') },
    other: null,
    footer: [],
  }
}

/** What can be done with a text: scan its QR code, save it as a file, or copy it. */
function carriedParts(
  { address, code }: Carried,
  name: string,
  codeName: string,
  isCopied: boolean,
  { text }: Translator,
): Required<Pick<Situation, 'details' | 'drawnCode'>> {
  return {
    drawnCode: code && { ...code, name: codeName },
    details: [
      { label: text('offline.address'), value: address },
      {
        label: name,
        value: '',
        ways: [
          { action: 'offline-save-file', label: text('offline.saveFile') },
          { action: 'offline-copy-text', label: text(isCopied ? 'copied' : 'offline.copyText') },
        ],
      },
    ],
  }
}

/** The most modules that a phone still reads from a display of ordinary density. */
const mostModules = 125

/** Prepares a text to be carried. */
export function carry({ text, link }: ReleaseCode): Carried {
  const [address = ''] = link.split('#')
  try {
    const rows = encodeQR(link, 'raw', { ecc: 'low', border: 4 })
    const path = rows
      .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
      .join('')
    return { text, address, code: rows.length > mostModules ? null : { size: rows.length, path } }
  } catch {
    // It is too long for a QR code.
    return { text, address, code: null }
  }
}
