/** The texts of the page in one language. `{date}` and `{name}` are replaced. */
export interface PageTexts {
  readonly title: string
  readonly lead: string
  readonly chooseFile: string
  readonly pasteLabel: string
  readonly continue: string
  readonly device: string
  readonly license: string
  readonly app: string
  readonly confirm: string
  readonly activate: string
  readonly working: string
  readonly doneHeading: string
  readonly doneLead: string
  readonly validUntil: string
  readonly saveFile: string
  readonly copy: string
  readonly copied: string
  readonly answerText: string
  readonly answerCode: string
  readonly seatsHeading: string
  readonly seatsLead: string
  readonly release: string
  readonly startOver: string
  readonly releaseConfirm: string
  /** Names the date. */
  readonly deactivated: string
  readonly freeSeat: string
  readonly freedHeading: string
  readonly freedLead: string
  readonly alreadyFreed: string
  readonly problems: {
    readonly noRequest: string
    /** An answer in place of a request. */
    readonly answer: string
    readonly torn: string
    readonly newer: string
    readonly releaseTorn: string
    readonly releaseEdited: string
    readonly releaseUnknownKey: string
    readonly unknown: string
    readonly wrongProduct: string
    readonly expired: string
    readonly notActive: string
    /** The service gave no reason. */
    readonly refused: string
    /** The service doesn't list the devices of the license. */
    readonly unlisted: string
    readonly tooMany: string
    readonly unavailable: string
  }
}
