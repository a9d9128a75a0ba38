export {
  type Answer,
  isOlderThan,
  type Outcome,
  type Refusal,
  type RefusalReason,
  type SignedAnswer,
  type Unavailable,
  type UnavailableCause,
  unavailable,
} from '@latchkey/services'
