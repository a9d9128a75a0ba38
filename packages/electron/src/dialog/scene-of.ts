import type { ActivationLink } from '../shared/activation-screen.ts'
import type { LicenseSummary } from '../shared/licensing-state.ts'
import { parseTimestamp } from '../shared/timestamp.ts'
import type { SessionView } from './activation-session.ts'
import type { Scene, SceneAction, SceneButton, SceneDetail, SceneNotice } from './scene.ts'
import { situationOf } from './situation.ts'
import type { TextKey } from './strings/activation-strings.ts'
import type { Translator } from './translator.ts'

const dayMs = 86_400_000

/** Puts what the screen knows into words and buttons. @param links the links that are configured */
export function sceneOf(
  view: SessionView,
  translator: Translator,
  links: readonly ActivationLink[],
  nowMs: number,
): Scene {
  const situation = situationOf(view)
  const { text, problem } = translator
  const button = (action: SceneAction, key: TextKey): SceneButton => ({ action, label: text(key) })
  const link = (name: ActivationLink, key: TextKey): readonly SceneButton[] =>
    links.includes(name) ? [button(name, key)] : []
  const words = (
    name: 'enter' | 'noSeat' | 'activated' | 'deactivate' | 'graceOver' | 'trialOver',
  ): Pick<Scene, 'heading' | 'lead'> => ({ heading: text(`${name}Heading`), lead: text(`${name}Lead`) })
  const daysUntil = (timestamp: string): number =>
    Math.max(0, Math.ceil(((parseTimestamp(timestamp) ?? nowMs) - nowMs) / dayMs))

  const goOn = button('continue', 'continue')
  const checkAgain = button('retry', 'checkAgain')
  const useOtherKey = button('enter-key', 'useOtherKey')
  const copyDetails = button('copy-details', 'copyDetails')
  const buy = link('buy', 'buy')
  const renew = link('renew', 'renew')
  const support = link('support', 'support')
  const notice: SceneNotice | null =
    situation.notice === null ? null : { tone: 'warning', text: problem(situation.notice.code) }
  // What support will ask for is offered wherever there is trouble.
  const help = notice === null ? support : [...support, copyDetails]

  const blank = {
    situation,
    badge: null,
    note: null,
    notice,
    code: null,
    details: [],
    body: 'none',
    primary: null,
    busyLabel: text('checking'),
    others: [],
    footer: [...support, copyDetails],
  } as const
  const form = { ...blank, body: 'form', footer: [...buy, ...help] } as const

  switch (situation.kind) {
    case 'starting':
      return { ...blank, heading: text('starting'), lead: '', footer: [] }

    case 'enter-key': {
      const isDetour = view.intent === 'enter-key' && view.state?.status !== 'unlicensed'
      return {
        ...form,
        ...words('enter'),
        notice: view.isSignedOut ? { tone: 'done', text: text('deactivated') } : notice,
        others: isDetour ? [button('back', 'cancel')] : [],
      }
    }
    case 'key-trouble': {
      // The words stay as they were before the try: only the field has something to say.
      const before = sceneOf({ ...view, attempt: null }, translator, links, nowMs)
      const asBefore = before.body === 'form' ? before : { ...form, ...words('enter') }
      const footer = asBefore.footer.filter(({ action }) => action !== 'copy-details')
      return { ...asBefore, situation, notice: null, footer: [...footer, copyDetails] }
    }
    case 'no-network': {
      const { trouble, worksMeanwhile } = situation
      return {
        ...blank,
        badge: 'offline',
        heading: text(trouble.code === 'offline' ? 'noNetworkHeading' : 'noAnswerHeading'),
        lead: problem(trouble.code),
        note: text(worksMeanwhile ? 'worksMeanwhile' : 'keyIsKept'),
        primary: button('retry', 'tryNow'),
        others: [...(worksMeanwhile ? [goOn] : []), button('enter-key', 'changeKey')],
      }
    }
    case 'no-seat-left': {
      const { devices } = situation
      const isMissing =
        devices.phase === 'failed' || (devices.phase === 'ready' && devices.devices.length === 0)
      const reason = devices.phase === 'failed' ? problem(devices.trouble.code) : ''
      return {
        ...blank,
        ...words('noSeat'),
        badge: 'devices',
        note: isMissing ? `${text('devicesUnavailable')} ${reason}` : null,
        body: isMissing ? 'none' : 'devices',
        primary: isMissing ? button('load-devices', 'tryNow') : null,
        busyLabel: text('working'),
        footer: [useOtherKey, ...link('buy', 'buySeats'), ...support, copyDetails],
      }
    }

    case 'activated':
      return {
        ...blank,
        badge: 'done',
        ...words('activated'),
        details: detailsOf(situation.license, view.state?.device?.label ?? null, translator),
        primary: goOn,
        footer: [button('ask-deactivation', 'deactivate'), ...help],
      }
    case 'deactivate':
      return {
        ...blank,
        badge: 'devices',
        ...words('deactivate'),
        primary: button('deactivate', 'deactivate'),
        busyLabel: text('working'),
        others: [button('back', 'cancel')],
        footer: help,
      }

    case 'expired': {
      const { expiresAt } = situation
      const [primary = checkAgain, ...others] = [...renew, checkAgain]
      return {
        ...blank,
        badge: 'clock',
        heading: text('expiredHeading'),
        lead:
          expiresAt === null
            ? problem('license-expired')
            : text('expiredLead', { date: translator.date(expiresAt) }),
        primary,
        others,
        footer: [useOtherKey, ...blank.footer],
      }
    }
    case 'suspended':
    case 'inactive': {
      const [primary = checkAgain, ...others] = [...support, checkAgain, ...renew]
      const isSuspended = situation.kind === 'suspended'
      const rawStatus = isSuspended ? null : situation.rawStatus
      return {
        ...blank,
        badge: 'stopped',
        heading: text(isSuspended ? 'suspendedHeading' : 'inactiveHeading'),
        lead: problem(isSuspended ? 'license-suspended' : 'license-inactive'),
        details:
          rawStatus === null ? [] : [{ label: text('reportedStatus'), value: rawStatus, isCode: true }],
        primary,
        others,
        footer: [useOtherKey, copyDetails],
      }
    }
    case 'moved':
      return {
        ...blank,
        badge: 'devices',
        heading: text('movedHeading'),
        lead: problem('moved-to-another-device'),
        details: detailsOf(situation.license, null, translator).slice(0, 1),
        primary: button('reactivate', 'activateAgain'),
        footer: [useOtherKey, ...blank.footer],
      }

    case 'grace':
      return {
        ...blank,
        badge: 'offline',
        heading: text('graceHeading'),
        lead: translator.counted('graceLead', daysUntil(situation.graceEndsAt)),
        primary: goOn,
        others: [checkAgain],
      }
    case 'grace-over':
      return {
        ...blank,
        badge: 'offline',
        ...words('graceOver'),
        primary: checkAgain,
        footer: [useOtherKey, ...blank.footer],
      }
    case 'trial':
      return {
        ...form,
        badge: 'clock',
        heading: translator.counted('trialHeading', daysUntil(situation.trialEndsAt)),
        lead: text('trialLead', { date: translator.date(situation.trialEndsAt) }),
        others: [button('continue', 'continueTrial')],
      }
    case 'trial-over':
      return {
        ...form,
        badge: 'clock',
        ...words('trialOver'),
        others: buy,
        footer: help,
      }

    case 'storage-trouble': {
      const { code } = situation.trouble
      const isUnsaved = code === 'store-not-writable' || code === 'disk-full'
      return {
        ...form,
        badge: 'warning',
        heading: text(isUnsaved ? 'notSavedHeading' : 'storageHeading'),
        lead: problem(code),
        footer: blank.footer,
      }
    }
    case 'misconfigured': {
      const canTalk = view.fault === null
      // A proxy's refusal looks the same, and that one the user can do something about.
      const isRefused = situation.code === 'unauthorized'
      return {
        ...blank,
        badge: 'warning',
        heading: text(isRefused ? 'refusedHeading' : 'misconfiguredHeading'),
        lead: isRefused ? problem('unauthorized') : text('misconfiguredLead'),
        code: situation.code,
        primary: canTalk ? button('retry', 'tryNow') : null,
        footer: canTalk ? [useOtherKey, ...blank.footer] : blank.footer,
      }
    }
  }
}

function detailsOf(
  license: LicenseSummary | null,
  device: string | null,
  translator: Translator,
): readonly SceneDetail[] {
  const { text, number, date } = translator
  const detail = (key: TextKey, value: string, isCode = false): SceneDetail => ({
    label: text(key),
    value,
    isCode,
  })
  const ofDevice = device === null ? [] : [detail('thisDevice', device)]
  if (license === null) return ofDevice
  const { maskedKey, activationUsage, activationLimit, expiresAt } = license
  return [
    detail('keyLabel', maskedKey, true),
    ...ofDevice,
    ...(activationUsage && activationLimit
      ? [
          detail(
            'devicesInUse',
            text('usedOfLimit', { used: number(activationUsage), limit: number(activationLimit) }),
          ),
        ]
      : []),
    detail('validUntil', expiresAt === null ? text('noEndDate') : date(expiresAt)),
  ]
}
