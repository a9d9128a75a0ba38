import type { OrphanSearch } from './outbox-entries.ts'
import type { LicensedReading, Reading } from './reading.ts'
import type { ActivationRecord, KnownRelease, PendingRelease } from './vault.ts'

/** Something that changes what this device remembers. */
export type LicensingEvent =
  | { readonly type: 'activation-requested'; readonly licenseId: string }
  /** A request that may take a seat is sent now, or its sender gave up waiting for the answer. */
  | { readonly type: 'activation-sent' | 'activation-unanswered' }
  /** It is proven that the request took no seat; `lateUntilMs` as it was before it was sent. */
  | { readonly type: 'activation-not-sent'; readonly lateUntilMs: number | null }
  | {
      readonly type: 'activation-refused'
      /** A key that was found or made on the way and is not going to be used. */
      readonly unusedKeyId: string | null
      readonly orphanSearch: OrphanSearch
    }
  | {
      readonly type: 'activated'
      readonly record: ActivationRecord
      /** Other keys of this license that bear this device's fingerprint: their seats go back. */
      readonly duplicateKeyIds: readonly string[]
      readonly orphanSearch: OrphanSearch
    }
  | { readonly type: 'answered'; readonly keyId: string; readonly reading: Reading }
  | {
      readonly type: 'kept-oldest'
      readonly keyId: string
      /** What the service says of that key, where it is not the one on record. */
      readonly reading: LicensedReading | null
      readonly duplicateKeyIds: readonly string[]
    }
  | { readonly type: 'deactivated' }
  /** Another device's seat of this license was freed from here. */
  | { readonly type: 'device-released'; readonly licenseId: string }
  | { readonly type: 'seat-freed'; readonly release: PendingRelease }
  /** A DELETE is sent now, or its sender gave up waiting for the answer. */
  | { readonly type: 'release-sent' | 'release-unanswered'; readonly release: KnownRelease }
  /** A DELETE was answered and freed nothing; `release` is the entry from before it was sent. */
  | { readonly type: 'release-refused'; readonly release: KnownRelease }
  /** Keys of this device that nobody uses were found in the list: their seats go back. */
  | { readonly type: 'unused-keys-found'; readonly licenseId: string; readonly keyIds: readonly string[] }
  /** The service, which has no list, doesn't know the activation that is to be freed. */
  | { readonly type: 'release-unknown'; readonly release: PendingRelease }
  | { readonly type: 'found-on-another-device' }
  | { readonly type: 'trial-started' }
  /** The service named the time; `movedMs` is how far that moved the high-water mark, in milliseconds. */
  | { readonly type: 'time-stated'; readonly movedMs: number }
