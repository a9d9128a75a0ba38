export {
  type Answer,
  answer,
  isOlderThan,
  type Outcome,
  type Refusal,
  type RefusalReason,
  refusal,
  type SignedAnswer,
  type Unavailable,
  type UnavailableCause,
  unavailable,
} from '@latchkey/services'
