export {
  activateForRequest,
  type OfflineActivation,
  type OfflineActivationService,
} from './activate-for-request.ts'
export { freeReleasedSeat, type OfflineRelease } from './free-released-seat.ts'
export {
  longestOfflineDays,
  type OfflineAnswerFacts,
  offlineClaimsOf,
  writeOfflineAnswer,
} from './offline-answer.ts'
export { type OfflineClaims, offlineClaimsSchema, offlineType } from './offline-claims.ts'
export {
  mostTrustedKeys,
  type OfflineRequest,
  type OfflineRequestReading,
  readOfflineRequest,
  releaseMarkOf,
  trustedKeyLength,
  writeOfflineRequest,
} from './offline-request.ts'
export {
  type FoundOfflineText,
  findOfflineText,
  maxOfflineTextLength,
  type OfflineTextFault,
  type OfflineTextKind,
  wrapOfflineText,
  writeOfflineText,
} from './offline-text.ts'
export {
  type ReleaseCode,
  type ReleaseCodeFault,
  type ReleaseCodeReading,
  readReleaseCode,
  releaseStatement,
  writeReleaseCode,
} from './release-code.ts'
export type { ReleaseTicket, ReleaseTicketKey } from './release-ticket.ts'
