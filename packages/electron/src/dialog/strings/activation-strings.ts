import type { ProblemCode } from '../../shared/problem.ts'

/** The problems that arise on the screen itself, so that the main process doesn't supply their English message. */
export type ScreenProblemCode = Extract<
  ProblemCode,
  | 'empty-text'
  | 'no-license-key'
  | 'text-too-long'
  | 'license-expired'
  | 'moved-to-another-device'
  | 'timeout'
  | 'unexpected'
>

/**
 * Every text of the activation window in one language. `{app}`, `{key}`, `{date}`, `{count}`, `{time}`, `{used}` and
 * `{limit}` are placeholders. A text with plural forms is a record by the language's plural categories. A line break
 * separates sentences that each start a new line. To replace a text, pass its name in `window.strings`.
 */
export interface ActivationStrings<
  Category extends Intl.LDMLPluralRule = 'other',
  Code extends ProblemCode = ProblemCode,
> {
  readonly starting: string
  readonly enterHeading: string
  readonly enterLead: string
  readonly keyLabel: string
  readonly activate: string
  readonly activateOffline: string
  readonly checking: string
  readonly working: string
  readonly keyFound: string
  readonly useClipboard: string
  readonly fromLink: string
  readonly replacesLicense: string
  readonly chooseKeyHeading: string
  readonly chooseKeyLead: string
  readonly chooseKey: string
  readonly takingLong: string
  readonly stopWaiting: string

  readonly activatedHeading: string
  readonly activatedLead: string
  /** Instead of `activatedLead`, when the license ends soon. */
  readonly endsSoonLead: string
  readonly devicesInUse: string
  readonly usedOfLimit: string
  readonly validUntil: string
  /** Instead of `validUntil`, when the license has ended and still covers this version. */
  readonly updatesUntil: string
  readonly noEndDate: string
  readonly continue: string

  readonly deactivate: string
  readonly deactivateHeading: string
  readonly deactivateLead: string
  readonly deactivateNow: string
  readonly deactivated: string
  readonly seatKept: string
  readonly cancel: string

  readonly noNetworkHeading: string
  readonly noAnswerHeading: string
  readonly noNetworkLead: string
  readonly nextTry: string
  readonly worksMeanwhile: string
  readonly keyIsKept: string
  readonly tryNow: string
  readonly changeKey: string
  readonly useOtherKey: string

  readonly noSeatHeading: string
  readonly noSeatLead: string
  readonly seatsInUse: string
  readonly deviceList: string
  readonly activatedOn: string
  readonly thisDevice: string
  readonly release: string
  readonly chooseDevice: string
  readonly loadingDevices: string
  readonly devicesUnavailable: string
  readonly buySeats: string
  readonly account: string

  readonly expiredHeading: string
  readonly expiredLead: string
  readonly renew: string
  readonly checkAgain: string
  readonly notCoveredHeading: string
  /** Its first line is also shown for an update that the license doesn't cover. */
  readonly notCoveredLead: string
  readonly coveredVersion: string
  readonly suspendedHeading: string
  readonly inactiveHeading: string
  readonly contactSupport: string
  readonly reportedStatus: string
  readonly movedHeading: string
  readonly activateAgain: string

  readonly graceHeading: string
  readonly graceLead: Readonly<Record<Category, string>>
  readonly renewalLead: Readonly<Record<Category, string>>
  readonly graceOverHeading: string
  readonly graceOverLead: string

  readonly trialHeading: Readonly<Record<Category, string>>
  readonly trialLead: string
  readonly trialHint: string
  readonly continueTrial: string
  readonly trialOverHeading: string
  readonly trialOverLead: string

  readonly storageHeading: string
  readonly notSavedHeading: string
  readonly refusedHeading: string
  readonly misconfiguredHeading: string
  readonly misconfiguredLead: string
  readonly copyCode: string

  readonly buy: string
  readonly help: string
  readonly support: string
  readonly copyDetails: string
  readonly copied: string

  /**
   * One text per problem: what happened and what to do. English has only those that arise on the screen itself,
   * because every other problem brings its English message.
   */
  readonly problems: Readonly<Record<Code, string>>
}

/** Texts that the screen can use: one language's, with or without the problems that bring their own message. */
export type ScreenStrings = ActivationStrings<'other', ScreenProblemCode>

/** Names of the texts without plural forms. */
export type TextKey = {
  [Key in keyof ActivationStrings]: ActivationStrings[Key] extends string ? Key : never
}[keyof ActivationStrings]

/** Names of the texts with plural forms. */
export type CountedKey = Exclude<keyof ActivationStrings, TextKey | 'problems'>
