import type { ScreenLink } from '../../shared/activation-screen.ts'
import { isUncertain } from '../../shared/problem.ts'
import type { TextKey } from '../strings/activation-strings.ts'
import { daysUntil, detail, endSentence, licenseDetails } from './license-details.ts'
import { deviceRows, keyRows } from './list-rows.ts'
import { problemNotice, seatNotice } from './notices.ts'
import type { Scene, SceneAction, SceneButton } from './scene.ts'
import type { SessionView } from './session-view.ts'
import { situationOf } from './situation.ts'
import type { Translator } from './translator.ts'

/** Returns the texts and buttons for what the screen knows. @param links the links that are configured */
export function sceneOf(
  view: SessionView,
  translator: Translator,
  links: readonly ScreenLink[],
  nowMs: number,
): Scene {
  const situation = situationOf(view)
  const { text, problem } = translator
  const button = (action: SceneAction, key: TextKey): SceneButton => ({ action, label: text(key) })
  const link = (name: ScreenLink, key: TextKey): readonly SceneButton[] =>
    links.includes(name) ? [button(name, key)] : []
  const words = (
    name: 'noSeat' | 'chooseKey' | 'activated' | 'deactivate' | 'graceOver' | 'trialOver' | 'misconfigured',
  ): Pick<Scene, 'heading' | 'lead'> => ({ heading: text(`${name}Heading`), lead: text(`${name}Lead`) })

  const goOn = button('continue', 'continue')
  const checkAgain = button('retry', 'checkAgain')
  const tryNow = button('retry', 'tryNow')
  const changeKey = button('changeKey', 'changeKey')
  const cancel = button('back', 'cancel')
  const copy = (key: TextKey): SceneButton => button('copyDetails', view.isCopied ? 'copied' : key)
  const useOtherKey = [button('enterKey', 'useOtherKey')]
  const buy = link('buy', 'buy')
  const renew = link('renew', 'renew')
  const offline = link('offline', 'activateOffline')
  const support = link('support', 'support')
  const isSlow = view.isSlow && situation.isChecking
  const hasEnded = Date.parse(view.state?.license?.expiresAt ?? '') < nowMs
  // Another license key may still be pending: the user enters it again or gives it up.
  const isUnsure = isUncertain(situation.notice)
  const giveUp = isUnsure ? [changeKey] : []

  const blank: Scene = {
    situation,
    isLit: true,
    badge: null,
    heading: '',
    lead: '',
    notice: problemNotice(situation.notice ?? view.problem, translator),
    code: null,
    details: [],
    body: 'none',
    rows: [],
    listName: '',
    hint: '',
    primary: null,
    isDestructive: false,
    busyLabel: text('checking'),
    other: null,
    help: [...support, copy('copyDetails')],
    footer: [],
  }
  const form: Scene = {
    ...blank,
    heading: text('enterHeading'),
    body: 'form',
    hint: text('enterLead'),
    primary: button('activate', 'activate'),
    footer: [...buy, ...offline],
  }
  const stopped = { ...blank, isLit: false, footer: [...useOtherKey, ...offline] }

  const scene = ((): Scene => {
    switch (situation.kind) {
      case 'starting':
        return { ...blank, heading: text('starting'), help: [] }

      case 'enter-key': {
        const isDetour = view.intent === 'enter-key' && view.state?.status !== 'unlicensed'
        const notice =
          (view.problem || isUnsure ? null : seatNotice(view.freedSeat, translator)) ?? blank.notice
        const worksMeanwhile = !isDetour && view.state?.entitled
        const lead = worksMeanwhile ? text('worksMeanwhile') : ''
        return { ...form, notice, lead, other: isDetour ? cancel : worksMeanwhile ? goOn : null }
      }
      case 'key-trouble': {
        // The texts stay as they were before the attempt. Only the hint below the field changes.
        const before = sceneOf({ ...view, attempt: null }, translator, links, nowMs)
        // The service doesn't say why it declined a key. Its license may have ended.
        const footer = situation.problem.code === 'activation-refused' ? renew : []
        const asBefore = before.body === 'form' ? before : form
        const notice = problemNotice(view.problem, translator)
        return { ...asBefore, situation, notice, footer: [...footer, ...asBefore.footer].slice(0, 2) }
      }
      case 'choose-key':
        return {
          ...blank,
          ...words('chooseKey'),
          body: 'list',
          rows: keyRows(situation.choices),
          listName: text('chooseKeyHeading'),
          hint: text('chooseKey'),
          primary: button('choose-key', 'activate'),
          other: cancel,
          footer: buy,
        }
      case 'no-network': {
        const { problem: reason, worksMeanwhile } = situation
        const isOffline = reason.code === 'offline'
        // What may have taken a seat isn't always finished without a click.
        const next = worksMeanwhile ? 'worksMeanwhile' : !isUncertain(reason) && 'keyIsKept'
        return {
          ...blank,
          isLit: false,
          badge: 'offline',
          heading: text(isOffline ? 'noNetworkHeading' : 'noAnswerHeading'),
          lead: (isOffline ? text('noNetworkLead') : problem(reason)) + (next ? `\n${text(next)}` : ''),
          primary: tryNow,
          other: (worksMeanwhile ? goOn : offline[0]) ?? changeKey,
          footer: [changeKey, ...offline],
        }
      }
      case 'no-seat-left': {
        const { devices } = situation
        const rows = devices.phase === 'ready' ? deviceRows(devices.devices, translator) : null
        const failure = devices.phase === 'failed' ? devices.problem : null
        const isUnclear = failure?.code === 'seat-may-be-taken'
        const device = view.state?.device
        const footer = [...useOtherKey, ...link('buy', 'buySeats')]
        const heading = text(isUnclear ? 'noAnswerHeading' : 'noSeatHeading')
        const full: Scene = { ...blank, heading, footer }
        if (failure?.code === 'devices-not-listed' || isUnclear) {
          const [account = null] = link('account', 'account')
          return {
            ...full,
            lead: problem(failure),
            // As the service shows it to the customer.
            details: device ? [detail(text('thisDevice'), `${device.label} [${device.fingerprint}]`)] : [],
            primary: tryNow,
            other: account,
          }
        }
        if (failure || rows?.length === 0) {
          const lead = text('devicesUnavailable') + (failure ? `\n${problem(failure)}` : '')
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
          primary: button('release', 'release'),
          busyLabel: text('working'),
          other: checkAgain,
        }
      }

      case 'activated': {
        const { license } = situation
        return {
          ...blank,
          badge: 'done',
          ...words('activated'),
          ...(license?.endsSoon && { lead: endSentence('endsSoonLead', license.expiresAt, translator) }),
          // A problem, such as a license that couldn't be saved, would contradict it.
          ...(situation.notice && { lead: '' }),
          details: licenseDetails(license, view.state?.device?.label ?? null, translator, hasEnded),
          primary: goOn,
          other: license?.endsSoon || hasEnded ? (renew[0] ?? null) : null,
          footer: [...giveUp, button('askDeactivation', 'deactivate')],
        }
      }
      case 'deactivate':
        return {
          ...blank,
          ...words('deactivate'),
          primary: button('deactivate', 'deactivateNow'),
          isDestructive: true,
          busyLabel: text('working'),
          other: cancel,
        }

      case 'expired':
      case 'not-covered': {
        const name = situation.kind === 'expired' ? 'expired' : 'notCovered'
        const covered = name === 'expired' ? [] : link('coveredVersion', 'coveredVersion')
        const ways = [...renew, ...covered, checkAgain]
        const [primary = checkAgain, other = null, ...more] = ways
        return {
          ...stopped,
          badge: 'clock',
          heading: text(`${name}Heading`),
          lead: endSentence(`${name}Lead`, situation.expiresAt, translator),
          primary,
          other,
          footer: [...more, ...useOtherKey],
        }
      }
      case 'suspended':
      case 'inactive': {
        const [primary = checkAgain, other = null] = [...support, checkAgain]
        const rawStatus = situation.kind === 'inactive' && situation.rawStatus
        return {
          ...stopped,
          badge: 'stopped',
          heading: text(`${situation.kind}Heading`),
          lead: text('contactSupport'),
          details: rawStatus ? [detail(text('reportedStatus'), rawStatus, true)] : [],
          primary,
          other,
        }
      }
      case 'moved':
        return {
          ...blank,
          badge: 'devices',
          heading: text('movedHeading'),
          lead: problem({ code: 'moved-to-another-device' }),
          details: licenseDetails(situation.license, null, translator).slice(0, 1),
          primary: button('reactivate', 'activateAgain'),
          footer: useOtherKey,
        }

      case 'grace': {
        return {
          ...blank,
          badge: hasEnded ? 'clock' : 'offline',
          heading: text('graceHeading'),
          lead: translator.counted(
            hasEnded ? 'renewalLead' : 'graceLead',
            daysUntil(situation.graceEndsAt, nowMs),
          ),
          primary: goOn,
          other: checkAgain,
          footer: [...giveUp, ...(hasEnded ? renew : [])],
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
          heading: translator.counted('trialHeading', daysUntil(situation.trialEndsAt, nowMs)),
          lead: text('trialLead', { date: translator.date(situation.trialEndsAt) }),
          hint: text('trialHint'),
          other: button('continue', 'continueTrial'),
        }
      case 'trial-over':
        return { ...form, badge: 'clock', ...words('trialOver') }

      case 'storage-trouble': {
        const isUnsaved = ['store-not-writable', 'disk-full'].includes(situation.problem.code)
        return {
          ...form,
          badge: 'warning',
          heading: text(isUnsaved ? 'notSavedHeading' : 'storageHeading'),
          lead: problem(situation.problem),
        }
      }
      case 'misconfigured':
        return {
          ...stopped,
          badge: 'warning',
          ...words('misconfigured'),
          ...(situation.refusal && { heading: text('refusedHeading'), lead: problem(situation.refusal) }),
          code: situation.code,
          footer: [],
          ...(view.fault === null && { primary: tryNow, other: copy('copyCode'), footer: useOtherKey }),
        }
      default:
        // What shows these situations is loaded on demand.
        return { ...form, situation: situation satisfies { readonly kind: `offline${string}` } }
    }
  })()

  const { primary, body } = scene
  // With a field or a list, the hint below it explains this. Otherwise the second button is the way out.
  const other = isSlow && body === 'none' ? button('stopWaiting', 'stopWaiting') : scene.other
  const shown = [primary, other].map((entry) => entry?.action)
  // Don't repeat a button from above in the foot.
  const isNew = ({ action }: SceneButton): boolean => !shown.includes(action)
  return { ...scene, other, help: scene.help.filter(isNew), footer: scene.footer.filter(isNew) }
}
