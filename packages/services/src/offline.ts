export {
  activateForRequest,
  freeReleasedSeat,
  type OfflineActivation,
  type OfflineActivationService,
  type OfflineRelease,
} from './offline/activate-for-request.ts'
export {
  longestOfflineDays,
  type OfflineAnswerFacts,
  type OfflineClaims,
  offlineClaimsOf,
  offlineClaimsSchema,
  writeOfflineAnswer,
} from './offline/offline-answer.ts'
export {
  mostTrustedKeys,
  type OfflineRequest,
  type OfflineRequestReading,
  readOfflineRequest,
  releaseMarkOf,
  trustedKeyLength,
  writeOfflineRequest,
} from './offline/offline-request.ts'
export {
  type FoundOfflineText,
  findOfflineText,
  maxOfflineTextLength,
  type OfflineTextFault,
  type OfflineTextKind,
  offlineType,
  wrapOfflineText,
  writeOfflineText,
} from './offline/offline-text.ts'
export {
  type ReleaseCode,
  type ReleaseCodeFault,
  type ReleaseCodeReading,
  type ReleaseTicket,
  type ReleaseTicketKey,
  readReleaseCode,
  releaseStatement,
  writeReleaseCode,
} from './offline/release-code.ts'
