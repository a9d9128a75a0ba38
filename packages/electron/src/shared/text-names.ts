import type { OfflineProblemCode } from './offline-problem.ts'
import type { ProblemCode } from './problem.ts'

/** The keys in `window.strings` of the activation window's texts, without plural forms and problems. */
export const textNames = [
  'starting',
  'enterHeading',
  'enterLead',
  'keyLabel',
  'activate',
  'activateOffline',
  'checking',
  'working',
  'keyFound',
  'useClipboard',
  'fromLink',
  'replacesLicense',
  'chooseKeyHeading',
  'chooseKeyLead',
  'chooseKey',
  'takingLong',
  'stopWaiting',
  'activatedHeading',
  'activatedLead',
  'endsSoonLead',
  'licensedTo',
  'plan',
  'devicesInUse',
  'usedOfLimit',
  'validUntil',
  'updatesUntil',
  'noEndDate',
  'continue',
  'deactivate',
  'deactivateHeading',
  'deactivateLead',
  'deactivateNow',
  'deactivated',
  'seatKept',
  'cancel',
  'noNetworkHeading',
  'noAnswerHeading',
  'noNetworkLead',
  'wrongDateHeading',
  'wrongDateLead',
  'blockedLead',
  'nextTry',
  'worksMeanwhile',
  'keyIsKept',
  'tryNow',
  'changeKey',
  'useOtherKey',
  'noSeatHeading',
  'noSeatLead',
  'seatsInUse',
  'deviceList',
  'activatedOn',
  'oldest',
  'thisDevice',
  'release',
  'chooseDevice',
  'loadingDevices',
  'devicesUnavailable',
  'buySeats',
  'account',
  'expiredHeading',
  'expiredLead',
  'renew',
  'checkAgain',
  'notCoveredHeading',
  'notCoveredLead',
  'coveredVersion',
  'suspendedHeading',
  'inactiveHeading',
  'contactSupport',
  'reportedStatus',
  'movedHeading',
  'activateAgain',
  'graceHeading',
  'graceOverHeading',
  'graceOverLead',
  'trialLead',
  'trialHint',
  'continueTrial',
  'trialOverHeading',
  'trialOverLead',
  'storageHeading',
  'notSavedHeading',
  'refusedHeading',
  'misconfiguredHeading',
  'misconfiguredLead',
  'copyCode',
  'buy',
  'help',
  'support',
  'copyDetails',
  'copied',
  'linkNotOpened',
] as const

/** The keys of texts that only an app can give: the window shows none of its own there. */
export const ownTextNames = ['activatedNote'] as const

/** The keys of texts with plural forms. A form's own key is this one, a `.` and the form. */
export const countedTextNames = ['graceLead', 'renewalLead', 'trialHeading'] as const

/**
 * The keys of the texts that an activation without internet shows. The texts themselves are loaded when someone
 * activates without internet.
 */
export const offlineTextNames = [
  'offline.heading',
  'offline.lead',
  'offline.requestHeading',
  'offline.requestLead',
  'offline.fileHeading',
  'offline.fileLead',
  'offline.code',
  'offline.address',
  'offline.request',
  'offline.saveFile',
  'offline.copyText',
  'offline.enterAnswer',
  'offline.answerHeading',
  'offline.answerLead',
  'offline.answer',
  'offline.chooseFile',
  'offline.showRequest',
  'offline.activeUntil',
  'offline.licenseEnds',
  'offline.endsSoon',
  'offline.releaseHeading',
  'offline.releaseLead',
  'offline.releaseCode',
  'offline.showRelease',
  'problems.no-offline-answer',
  'problems.offline-answer-too-long',
  'problems.offline-request-as-answer',
  'problems.online-lease-as-answer',
  'problems.offline-answer-torn',
  'problems.offline-answer-edited',
  'problems.offline-answer-unknown-key',
  'problems.offline-answer-newer',
  'problems.offline-answer-other-app',
  'problems.offline-answer-other-device',
  'problems.offline-answer-other-request',
  'problems.offline-answer-used',
  'problems.offline-answer-expired',
] as const

/**
 * The key of a text of the activation window, such as `enterHeading`, `trialHeading.one` or `problems.offline`. The guide's
 * page on the activation window lists all of them.
 */
export type ActivationTextName =
  | (typeof textNames)[number]
  | (typeof ownTextNames)[number]
  | `${(typeof countedTextNames)[number]}.${Intl.LDMLPluralRule}`
  | (typeof offlineTextNames)[number]
  | `problems.${ProblemCode | OfflineProblemCode}`

/** Texts that replace the built-in ones, by key. */
export type ActivationTexts = { readonly [Name in ActivationTextName]?: string }
