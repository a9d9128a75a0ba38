import type { OfflineProblemCode } from '../../../shared/offline-problem.ts'

/** The texts of an activation without internet in one language. A line break separates sentences. */
export interface OfflineStrings {
  readonly heading: string
  readonly lead: string
  readonly requestHeading: string
  readonly requestLead: string
  /** If the request is too long for a QR code. */
  readonly fileHeading: string
  readonly fileLead: string
  readonly code: string
  readonly address: string
  readonly request: string
  readonly saveFile: string
  readonly copyText: string
  readonly enterAnswer: string
  readonly answerHeading: string
  readonly answerLead: string
  readonly answer: string
  readonly chooseFile: string
  readonly showRequest: string
  /** With `{date}`. */
  readonly activeUntil: string
  /** Label of the license's end, which is later. */
  readonly licenseEnds: string
  /** With `{date}`. */
  readonly endsSoon: string
  readonly releaseHeading: string
  readonly releaseLead: string
  readonly releaseCode: string
  readonly showRelease: string
  /** One text per problem: what happened and what to do. */
  readonly problems: Readonly<Record<OfflineProblemCode, string>>
}
