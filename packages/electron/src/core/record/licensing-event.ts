import type { OrphanSearch } from './outbox-entries.ts'
import type { LicensedReading, Reading } from './reading.ts'
import type { ActivationRecord, KnownRelease, PendingRelease } from './vault.ts'

/** Something that changes what this device remembers. */
export type LicensingEvent =
  | { readonly type: 'activation-requested'; readonly licenseId: string }
  /** A request that may take a seat is about to be sent, or timed out. */
  | { readonly type: 'activation-sent' | 'activation-unanswered' }
  /** It is proven that the request took no seat. `lateUntilMs` is the value from before it was sent. */
  | { readonly type: 'activation-not-sent'; readonly lateUntilMs: number | null }
  | {
      readonly type: 'activation-refused'
      /** A key that was found or created but won't be used. */
      readonly unusedKeyId: string | null
      readonly orphanSearch: OrphanSearch
    }
  | {
      readonly type: 'activated'
      readonly record: ActivationRecord
      /** Other keys of this license with this device's fingerprint. Their seats will be freed. */
      readonly duplicateKeyIds: readonly string[]
      readonly orphanSearch: OrphanSearch
    }
  | { readonly type: 'answered'; readonly keyId: string; readonly reading: Reading }
  | {
      readonly type: 'kept-oldest'
      readonly keyId: string
      /** The service's answer about that key, if it isn't the one on record. */
      readonly reading: LicensedReading | null
      readonly duplicateKeyIds: readonly string[]
    }
  | { readonly type: 'deactivated' }
  /** Another device's seat of this license was freed from here. */
  | { readonly type: 'device-released'; readonly licenseId: string }
  | { readonly type: 'seat-freed'; readonly release: PendingRelease }
  /** A DELETE is about to be sent, or timed out. */
  | { readonly type: 'release-sent' | 'release-unanswered'; readonly release: KnownRelease }
  /** A DELETE was answered and freed nothing; `release` is the entry from before it was sent. */
  | { readonly type: 'release-refused'; readonly release: KnownRelease }
  /** The list has unused keys of this device. Their seats will be freed. */
  | { readonly type: 'unused-keys-found'; readonly licenseId: string; readonly keyIds: readonly string[] }
  /** The service has no list and doesn't know the activation that should be freed. */
  | { readonly type: 'release-unknown'; readonly release: KnownRelease }
  | { readonly type: 'found-on-another-device' }
  | { readonly type: 'trial-started' }
  /** The service stated its time; `movedMs` is how far that moved the high-water mark, in milliseconds. */
  | { readonly type: 'time-stated'; readonly movedMs: number }
