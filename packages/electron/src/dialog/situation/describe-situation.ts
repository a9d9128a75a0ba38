import type { ActivationScreen, ScreenLink } from '../../shared/activation-screen.ts'
import type { LicenseSummary } from '../../shared/licensing-state.ts'
import { isUncertain } from '../../shared/problem.ts'
import type { Device, FreedSeat } from '../../shared/results.ts'
import { parseEnd } from '../../shared/timestamp.ts'
import type { TextKey } from '../../texts/load-strings.ts'
import {
  carriedText,
  networkFaultOf,
  releaseCodesOf,
  type SessionView,
  type ShownProblem,
  unexpected,
} from '../session/session-view.ts'
import { decideSituation, obstacleOf } from './decide-situation.ts'
import type { Button, ButtonAction, Detail, Notice, Row, Situation } from './situation.ts'
import type { Translator } from './translator.ts'

/** The longest address whose QR code a phone still reads from a display of ordinary density. */
const longestScan = 1_273
/** How long before its end an activation without internet is shown as ending, in milliseconds. */
const noticeMs = 10 * 86_400_000
/** Beyond this number, seats aren't drawn one by one. */
const mostPips = 10

const dayMs = 86_400_000

/** What a button that asks the service says meanwhile. */
const busyTexts: { readonly [Action in ButtonAction]?: TextKey } = {
  activate: 'checking',
  'choose-key': 'checking',
  retry: 'checking',
  reactivate: 'checking',
  loadDevices: 'checking',
  release: 'working',
  deactivate: 'working',
  'request-offline': 'working',
  'activate-offline': 'working',
}

/** What the texts and buttons depend on besides the session. */
export interface Wording extends Pick<ActivationScreen, 'links' | 'hasSeats'> {
  readonly translator: Translator
}

/** Returns the texts and buttons for what the session knows. */
export function situationOf(view: SessionView, wording: Wording, nowMs: number): Situation {
  const { translator, links, hasSeats = true } = wording
  const facts = decideSituation(view)
  const { text, problem } = translator
  const button = (action: ButtonAction, key: TextKey): Button => {
    const busy = busyTexts[action]
    return { action, label: text(key), ...(busy && { busyLabel: text(busy) }) }
  }
  const link = (name: ScreenLink, key: TextKey): readonly Button[] =>
    links.includes(name) ? [button(name, key)] : []
  const words = (
    name: 'noSeat' | 'chooseKey' | 'deactivate' | 'graceOver' | 'trialOver' | 'misconfigured',
  ): Pick<Situation, 'heading' | 'lead'> => ({ heading: text(`${name}Heading`), lead: text(`${name}Lead`) })

  const { retryAtMs } = view
  const secondsLeft = Math.max(1, Math.ceil(((retryAtMs ?? 0) - nowMs) / 1_000))
  const nextTry = retryAtMs === null ? '' : text('nextTry', { time: translator.seconds(secondsLeft) })

  const goOn = button('continue', 'continue')
  const checkAgain = button('retry', 'checkAgain')
  const tryNow = button('retry', 'tryNow')
  const changeKey = button('changeKey', 'changeKey')
  const cancel = button('back', 'cancel')
  const copy = (key: TextKey): Button => button('copyDetails', view.copied === 'details' ? 'copied' : key)
  const useOtherKey = [button('enterKey', 'useOtherKey')]
  const buy = link('buy', 'buy')
  const renew = link('renew', 'renew')
  const offline = link('offline', 'activateOffline')
  const support = link('support', 'support')
  const manageDevices = link('devices', 'manageDevices')
  const stopWaiting = button('stopWaiting', 'stopWaiting')
  const { state: record } = facts
  const license = record?.license ?? null
  const cause = facts.problem ?? unexpected
  const endsAt =
    record?.status === 'trial' ? record.trialEndsAt : record?.status === 'grace' ? record.graceEndsAt : ''
  const daysLeft = Math.max(0, Math.ceil((Date.parse(endsAt) - nowMs) / dayMs)) || 0
  const isSlow = view.isSlow && facts.isChecking
  const hasEnded = (parseEnd(view.state?.license?.expiresAt ?? '') ?? Number.POSITIVE_INFINITY) <= nowMs
  const explain = (about: ShownProblem): string => {
    const fault = networkFaultOf(about)
    if (fault === 'wrong-date') {
      return text('wrongDateLead', { date: translator.date(new Date(nowMs).toISOString()) })
    }
    if (fault === 'blocked' && translator.host !== '')
      return `${text('noNetworkLead')}\n${text('blockedLead')}`
    return problem(about)
  }
  const noticeOf = (about: ShownProblem | null): Notice | null =>
    about && { tone: 'warning', text: [explain(about), about.source].filter(Boolean).join('\n') }
  // Another license key may still be pending: the user enters it again or gives it up.
  const isUnsure = isUncertain(facts.notice)
  const otherKey = isUnsure ? [changeKey] : useOtherKey

  const codes = releaseCodesOf(view.state)
  /** What can be done with a text that another device needs: scan its QR code, save it as a file, or copy it. */
  const carriedParts = (name: TextKey, scanName: TextKey): Pick<Situation, 'details' | 'scan'> => {
    const { link: address = '' } = carriedText(view) ?? {}
    const copyText = button('copy-text', view.copied === 'text' ? 'copied' : 'offline.copyText')
    return {
      scan: address.length > longestScan ? null : { address, name: text(scanName) },
      details: [
        detail(text('offline.address'), address.split('#')[0] ?? ''),
        { ...detail(text(name), ''), ways: [button('save-file', 'offline.saveFile'), copyText] },
      ],
    }
  }
  const errorOf = (about: Parameters<typeof problem>[0] | null): Notice | null =>
    // An empty field isn't worth an alarm.
    about && { tone: about.code === 'empty-text' ? null : 'danger', text: problem(about) }

  const blank: Situation = {
    facts,
    isLit: true,
    badge: null,
    heading: '',
    lead: '',
    status: null,
    notice: noticeOf(facts.notice ?? view.problem),
    code: null,
    scan: null,
    details: [],
    body: 'none',
    rows: [],
    listName: '',
    hint: '',
    hintButton: null,
    error: null,
    choiceError: '',
    primary: null,
    isDestructive: false,
    other: null,
    help: [...support, copy('copyDetails')],
    footer: [],
  }
  const form: Situation = {
    ...blank,
    heading: text('enterHeading'),
    body: 'form',
    hint: text('enterLead'),
    primary: button('activate', 'activate'),
    footer: [...buy, ...offline],
  }
  const stopped = { ...blank, isLit: false, footer: [...useOtherKey, ...offline] }

  const situation = ((): Situation => {
    switch (facts.kind) {
      case 'starting':
        return { ...blank, heading: text('starting'), help: [] }

      case 'enter-key': {
        const isDetour = view.intent === 'enter-key' && view.state?.status !== 'unlicensed'
        const freedSeat = view.problem || isUnsure || !hasSeats ? null : view.freedSeat
        const notice = seatNotice(freedSeat, translator) ?? blank.notice
        const worksMeanwhile = !isDetour && view.state?.entitled
        const lead = worksMeanwhile ? text('worksMeanwhile') : ''
        return { ...form, notice, lead, other: isDetour ? cancel : worksMeanwhile ? goOn : null }
      }
      case 'key-trouble': {
        // The texts stay as they were before the attempt. Only the hint below the field changes.
        const before = situationOf({ ...view, attempt: null }, wording, nowMs)
        const asBefore = before.body === 'form' ? before : form
        // The service doesn't say why it declined a key. Its license may have ended.
        const help = cause.code === 'activation-refused' ? [...asBefore.help, ...renew] : asBefore.help
        return { ...asBefore, facts, help, error: errorOf(cause) }
      }
      case 'choose-key':
        return {
          ...blank,
          ...words('chooseKey'),
          body: 'list',
          rows: view.keyChoices.map(({ id, maskedKey, label }) => ({
            id,
            label: maskedKey,
            detail: label,
            isCode: true,
          })),
          listName: text('chooseKeyHeading'),
          hint: text('chooseKey'),
          error: errorOf(facts.problem),
          choiceError: text('chooseKey'),
          primary: button('choose-key', 'activate'),
          other: cancel,
          footer: buy,
        }
      case 'no-network': {
        const worksMeanwhile = view.state?.entitled
        const fault = networkFaultOf(cause)
        // What may have taken a seat isn't always finished without a click.
        const isByItself = !isUncertain(cause)
        const next = worksMeanwhile ? 'worksMeanwhile' : isByItself && 'keyIsKept'
        const isPlain = cause.code === 'offline' && fault === null
        const [what = '', ...advice] = (isPlain ? text('noNetworkLead') : explain(cause)).split('\n')
        // While the window tries again by itself, only the network and the date are for the user to mend.
        const isAdvised = !isByItself || cause.code === 'unexpected-answer' || fault !== null
        return {
          ...blank,
          isLit: false,
          badge: 'offline',
          heading: text(
            fault === 'wrong-date' ? 'wrongDateHeading' : isPlain ? 'noNetworkHeading' : 'noAnswerHeading',
          ),
          lead: [what, ...(isAdvised ? advice : []), ...(next ? [text(next)] : [])].join('\n'),
          status: nextTry,
          primary: tryNow,
          other: (worksMeanwhile ? goOn : offline[0]) ?? changeKey,
          footer: [changeKey, ...offline],
        }
      }
      case 'no-seat-left': {
        const isUnclear = cause.code === 'seat-may-be-taken'
        const { devices, problem: listProblem } = view.devices ?? { devices: null, problem: null }
        const rows = devices && deviceRows(devices, translator)
        // A full license with an empty list: the gateway lists only this device, so there is nothing to release here.
        const hidden: ShownProblem | null = devices?.length === 0 ? { code: 'other-device' } : null
        // While the list is loaded again, everything stays where it is.
        const failure = isUnclear ? cause : devices ? hidden : listProblem
        const device = view.state?.device
        const footer = [...useOtherKey, ...link('buy', 'buySeats')]
        const heading = text(isUnclear ? 'noAnswerHeading' : 'noSeatHeading')
        const full: Situation = { ...blank, heading, help: [...manageDevices, ...blank.help], footer }
        if (failure && (isUnclear || ['devices-not-listed', 'other-device'].includes(failure.code))) {
          return {
            ...full,
            lead: problem(failure),
            // As the service shows it to the customer.
            details: device ? [detail(text('thisDevice'), `${device.label} [${device.fingerprint}]`)] : [],
            primary: tryNow,
            other: manageDevices[0] ?? link('account', 'account')[0] ?? null,
          }
        }
        if (failure) {
          const lead = `${text('devicesUnavailable')}\n${problem(failure)}`
          return { ...full, lead, primary: button('loadDevices', 'tryNow') }
        }
        const count = translator.number(rows?.length ?? 0)
        return {
          ...full,
          lead: text('noSeatLead'),
          body: 'list',
          rows,
          listName: text('deviceList'),
          hint: rows ? text('seatsInUse', { used: count, limit: count }) : text('loadingDevices'),
          hintButton: rows && checkAgain,
          error: errorOf(listProblem),
          choiceError: text('chooseDevice'),
          primary: button('release', 'release'),
        }
      }

      case 'activated': {
        const device = hasSeats ? view.state?.device?.label : null
        const { endsSoon = false, validUntil } = license ?? {}
        const renewOffline = validUntil === undefined ? [] : [button('offline', 'activateOffline')]
        const date = translator.date(validUntil ?? '')
        const isEnding = Date.parse(validUntil ?? '') - nowMs < noticeMs
        const ending: Notice | null = isEnding
          ? { tone: 'warning', text: text('offline.endsSoon', { date }) }
          : null
        const notice = blank.notice ?? ending
        const lead = validUntil
          ? text('offline.activeUntil', { date })
          : endsSoon
            ? endSentence('endsSoonLead', license?.expiresAt ?? null, translator)
            : text('activatedLead')
        return {
          ...blank,
          badge: 'done',
          heading: text('activatedHeading'),
          notice,
          // A problem, such as a license that couldn't be saved, would contradict it.
          lead: [notice ? '' : lead, text('activatedNote')].filter(Boolean).join('\n'),
          details: licenseDetails(license, device ?? null, translator, hasEnded),
          primary: goOn,
          // Prominent only when it is time to renew.
          other: (isEnding ? renewOffline : endsSoon || hasEnded ? renew : [])[0] ?? null,
          help: [...blank.help, ...renewOffline],
          footer: [...otherKey, button('askDeactivation', hasSeats ? 'deactivate' : 'deactivateNow')],
        }
      }
      case 'deactivate':
        return {
          ...blank,
          ...words('deactivate'),
          // The first sentence is about the seat.
          ...(!hasSeats && {
            heading: text('deactivateNow'),
            lead: text('deactivateLead').split('\n').at(-1) ?? '',
          }),
          primary: button('deactivate', 'deactivateNow'),
          isDestructive: true,
          other: cancel,
        }

      case 'expired':
      case 'not-covered': {
        const name = facts.kind === 'expired' ? 'expired' : 'notCovered'
        const covered = name === 'expired' ? [] : link('coveredVersion', 'coveredVersion')
        const ways = [...renew, ...covered, checkAgain]
        const [primary = checkAgain, other = null, ...more] = ways
        return {
          ...stopped,
          badge: 'clock',
          heading: text(`${name}Heading`),
          lead: endSentence(`${name}Lead`, license?.expiresAt ?? null, translator),
          primary,
          other,
          footer: [...more, ...useOtherKey],
        }
      }
      case 'suspended':
      case 'inactive': {
        const [primary = checkAgain, other = null] = [...support, checkAgain]
        const rawStatus = record?.status === 'inactive' && record.rawStatus
        return {
          ...stopped,
          badge: 'stopped',
          heading: text(`${facts.kind}Heading`),
          lead: text('contactSupport'),
          details: rawStatus ? [detail(text('reportedStatus'), rawStatus, true)] : [],
          primary,
          other,
        }
      }
      case 'moved': {
        const isCopy = record?.problem?.code === 'record-of-another-device'
        return {
          ...blank,
          badge: 'devices',
          heading: text(isCopy ? 'copiedHeading' : 'movedHeading'),
          lead: hasSeats
            ? problem({ code: isCopy ? 'record-of-another-device' : 'moved-to-another-device' })
            : '',
          details: licenseDetails(license, null, translator).slice(0, 1),
          primary: button('reactivate', isCopy ? 'activateHere' : 'activateAgain'),
          footer: useOtherKey,
        }
      }

      case 'grace': {
        return {
          ...blank,
          badge: hasEnded ? 'clock' : 'offline',
          heading: text('graceHeading'),
          lead: translator.counted(hasEnded ? 'renewalLead' : 'graceLead', daysLeft),
          primary: goOn,
          other: checkAgain,
          footer: [...otherKey, ...(hasEnded ? renew : [])],
        }
      }
      case 'grace-over':
        return {
          ...stopped,
          badge: 'offline',
          ...words('graceOver'),
          primary: checkAgain,
          other: offline[0] ?? null,
        }
      case 'trial':
        return {
          ...form,
          heading: translator.counted('trialHeading', daysLeft),
          lead: text('trialLead', { date: translator.date(endsAt) }),
          hint: text('trialHint'),
          other: button('continue', 'continueTrial'),
        }
      case 'trial-over':
        return { ...form, badge: 'clock', ...words('trialOver') }

      case 'storage-trouble': {
        const { code } = cause
        const isUnsaved = code === 'store-not-writable' || code === 'disk-full'
        const isCopy = code === 'record-of-another-device'
        return {
          ...form,
          badge: 'warning',
          heading: text(isUnsaved ? 'notSavedHeading' : isCopy ? 'copiedHeading' : 'storageHeading'),
          lead: problem(cause),
        }
      }
      case 'misconfigured':
        return {
          ...stopped,
          badge: 'warning',
          ...words('misconfigured'),
          ...(obstacleOf(facts) && {
            heading: text('refusedHeading'),
            lead: problem(cause),
            status: nextTry,
          }),
          code: view.fault ?? cause.code,
          footer: [],
          ...(view.fault === null && { primary: tryNow, other: copy('copyCode'), footer: useOtherKey }),
        }

      case 'offline':
        return {
          ...form,
          heading: text('offline.heading'),
          lead: text('offline.lead'),
          error: errorOf(view.offline.problem),
          primary: button('request-offline', 'continue'),
          other: cancel,
          footer: [],
        }
      case 'offline-request': {
        const parts = carriedParts('offline.request', 'offline.code')
        const name = parts.scan ? 'request' : 'file'
        return {
          ...blank,
          ...parts,
          heading: text(`offline.${name}Heading`),
          lead: text(`offline.${name}Lead`),
          primary: button('enterAnswer', 'offline.enterAnswer'),
          other: cancel,
        }
      }
      case 'offline-answer':
        return {
          ...blank,
          heading: text('offline.answerHeading'),
          lead: text('offline.answerLead'),
          body: 'answer',
          error: errorOf(view.offline.problem),
          primary: button('activate-offline', 'activate'),
          other: button('choose-file', 'offline.chooseFile'),
          footer: [button('showRequest', 'offline.showRequest')],
        }
      case 'offline-release': {
        const { releaseIndex } = view
        const { scan, details } = carriedParts('offline.releaseCode', 'offline.releaseCode')
        const isOfMany = codes.length > 1
        // The first sentence is wrong while another license is in use: the device isn't deactivated.
        const lead = text('offline.releaseLead').replace(license ? /.*\n/u : '', '')
        const place = `${translator.number((releaseIndex ?? 0) + 1)} / ${translator.number(codes.length)}`
        const maskedKey = codes[releaseIndex ?? 0]?.maskedKey ?? ''
        return {
          ...blank,
          badge: 'done',
          heading: text('offline.releaseHeading'),
          lead: isOfMany ? `${lead}\n${place}` : lead,
          notice: null,
          scan,
          // Which license it is about, if there is more than one.
          details: isOfMany || license ? [detail(text('keyLabel'), maskedKey), ...details] : details,
          primary: button('nextReleaseCode', 'continue'),
        }
      }
    }
  })()

  // After a deactivation it is beside the main button, and in the help menu while there is something else.
  const isOffered = codes.length > 0 && view.intent === null && facts.kind !== 'offline-release'
  const showCode = isOffered ? [button('showReleaseCode', 'offline.showRelease')] : []
  const other = situation.other ?? (situation.body === 'form' ? (showCode[0] ?? null) : null)
  const notice: Notice | null =
    view.unopenedAddress === null
      ? situation.notice
      : { tone: 'warning', text: text('linkNotOpened'), address: view.unopenedAddress }
  const shown = [situation.primary, other].map((entry) => entry?.action)
  // Don't repeat a button from above in the foot.
  const isNew = ({ action }: Button): boolean => !shown.includes(action)
  // With a field or a list, the hint below it explains this.
  const footer = isSlow && situation.body === 'none' ? [stopWaiting] : situation.footer.filter(isNew)
  return {
    ...situation,
    notice,
    other,
    help: [...situation.help, ...showCode].filter(isNew),
    footer,
    ...(isSlow && situation.body !== 'none' && { hint: text('takingLong'), hintButton: stopWaiting }),
  }
}

/** One line of the details. */
function detail(label: string, value: string, isCode = false, seats: Detail['seats'] = null): Detail {
  return { label, value, isCode, seats }
}

/**
 * Returns the details of a license.
 *
 * @param device this device's name; `null` to omit it.
 * @param hasEnded whether its end has passed. If it is still active, it no longer covers new versions.
 */
function licenseDetails(
  license: LicenseSummary | null,
  device: string | null,
  { text, number, date }: Translator,
  hasEnded = false,
): readonly Detail[] {
  const ofDevice = device ? [detail(text('thisDevice'), device)] : []
  if (license === null) return ofDevice
  const {
    maskedKey,
    licensee,
    plan,
    features,
    activationUsage: used,
    activationLimit: limit,
    expiresAt,
    isEndUnknown,
    validUntil,
  } = license
  // A license without an end would contradict it, and another end needs its own name.
  const isOffline = validUntil !== undefined
  const end = hasEnded ? 'updatesUntil' : isOffline ? 'offline.licenseEnds' : 'validUntil'
  const usage = used && limit ? text('usedOfLimit', { used: number(used), limit: number(limit) }) : null
  const seats = used && limit && limit <= mostPips ? { used, limit } : null
  return [
    detail(text('keyLabel'), maskedKey, true),
    ...(licensee ? [detail(text('licensedTo'), licensee)] : []),
    ...(plan ? [detail(text('plan'), plan)] : []),
    ...(features.length > 0 ? [detail(text('features'), features.join(' · '))] : []),
    ...ofDevice,
    ...(usage ? [detail(text('devicesInUse'), usage, false, seats)] : []),
    ...(isEndUnknown || (isOffline && !expiresAt)
      ? []
      : [detail(text(end), expiresAt ? date(expiresAt) : text('noEndDate'))]),
  ]
}

/** A sentence about the end of a license, by its key. @param expiresAt `null` if the service doesn't say when it ended */
function endSentence(
  key: 'endsSoonLead' | 'expiredLead' | 'notCoveredLead',
  expiresAt: string | null,
  { text, date, problem }: Translator,
): string {
  return expiresAt === null ? problem({ code: 'license-expired' }) : text(key, { date: date(expiresAt) })
}

/** Returns the devices of a license as list entries, oldest activation first. */
function deviceRows(devices: readonly Device[], { text, date }: Translator): readonly Row[] {
  return [...devices]
    .sort((one, other) => (one.activatedAt ?? '').localeCompare(other.activatedAt ?? ''))
    .map(({ id, label, activatedAt, isThisDevice }, index, { length }) => ({
      id,
      label,
      detail: [
        activatedAt && text('activatedOn', { date: date(activatedAt) }),
        // Dates that are all the same don't help to choose.
        index === 0 && length > 1 && activatedAt && text('oldest'),
        isThisDevice && text('thisDevice'),
      ]
        .filter(Boolean)
        .join(' · '),
      isCode: false,
    }))
}

/** Returns what a deactivation did to the seat. A seat that is freed later is the state's problem. */
function seatNotice(seat: FreedSeat | null, { text }: Translator): Notice | null {
  if (seat === 'freed') return { tone: 'success', text: text('deactivated') }
  return seat === 'not-freed' ? { tone: 'warning', text: text('seatKept') } : null
}
