import type { ReleaseWithCode, ReleaseWithoutCode } from './outbox-entries.ts'
import type { LicensedReading, Reading, UnknownReason } from './reading.ts'
import type { ActivationRecord, KnownRelease, PendingRelease, Vault } from './vault.ts'

/** Something that changes what this device remembers. */
export type LicensingEvent =
  | { readonly type: 'activation-requested'; readonly licenseId: string }
  | {
      readonly type: 'offline-requested'
      readonly licenseId: string
      readonly nonce: string
      readonly secret: string
    }
  /** A request that may take a seat is about to be sent. `seatsBefore` is how many are in use, if that is known. */
  | {
      readonly type: 'activation-sent'
      readonly licenseId: string
      readonly seatsBefore?: number | null | undefined
    }
  /** The request timed out, or it is proven that it took no seat. */
  | { readonly type: 'activation-unanswered' | 'activation-not-sent'; readonly licenseId: string }
  /** The user no longer wants the pending activation of this license. */
  | { readonly type: 'activation-canceled'; readonly licenseId: string }
  | {
      readonly type: 'activation-refused'
      readonly licenseId: string
      /** A key that was found or created but won't be used. */
      readonly unusedKeyId: string | null
      readonly evidence: SeatEvidence
    }
  | {
      readonly type: 'activated'
      readonly record: ActivationRecord
      /**
       * When the answer that shows its key was requested, in milliseconds on the high-water mark. Absent if no request was
       * sent, because the device is activated without internet.
       */
      readonly seenAtMs?: number
      /** Other keys of this license with this device's fingerprint. Their seats will be freed. */
      readonly duplicateKeyIds: readonly string[]
      readonly evidence: SeatEvidence
      /** Frees the seat of the activation that this one replaces from another device. Absent if nothing does. */
      readonly code?: ReleaseWithCode | ReleaseWithoutCode | undefined
    }
  | { readonly type: 'answered'; readonly keyId: string; readonly reading: Reading }
  | {
      readonly type: 'kept-oldest'
      readonly licenseId: string
      readonly keyId: string
      /** This device's fingerprint, which that key was found by. */
      readonly fingerprint: string
      /** The same, for the answer about that key. Absent if it is the one on record. */
      readonly seenAtMs?: number
      /** The service's answer about that key, if it isn't the one on record. */
      readonly reading: LicensedReading | null
      readonly duplicateKeyIds: readonly string[]
    }
  | {
      readonly type: 'deactivated'
      /** The license that was ended; `null` if only an unfinished activation was. @default the one on record */
      readonly endedLicenseId?: string | null
      /** The license whose unfinished activation was ended; `null` if there was none. @default the pending one on record */
      readonly pendingLicenseId?: string | null
      /** Frees the seat from another device; absent if nothing but this one can. */
      readonly code?: ReleaseWithCode | ReleaseWithoutCode | undefined
    }
  /** A release code was made that couldn't be made before. */
  | { readonly type: 'release-code-made'; readonly code: ReleaseWithCode }
  /** Another device's seat of this license was freed from here. */
  | { readonly type: 'device-released'; readonly licenseId: string }
  | { readonly type: 'seat-freed'; readonly release: PendingRelease }
  /** A DELETE is about to be sent, or timed out. */
  | { readonly type: 'release-sent' | 'release-unanswered'; readonly release: KnownRelease }
  /** A DELETE was answered and freed nothing; `release` is the entry from before it was sent. */
  | { readonly type: 'release-refused'; readonly release: KnownRelease }
  /** The list has unused keys of this device. Their seats will be freed. */
  | { readonly type: 'unused-keys-found'; readonly licenseId: string; readonly keyIds: readonly string[] }
  /**
   * The keys of a license that may have an unknown key of this device were not listed. `isDenied`: this app may not
   * list them. Otherwise the license may not exist.
   */
  | { readonly type: 'list-refused'; readonly licenseId: string; readonly isDenied: boolean }
  /**
   * The service has no list, or refuses it, and doesn't know the activation that should be freed, or not even its license.
   * `unlisted`: it should list the keys and documents no such refusal, so nothing can prove what it says.
   */
  | {
      readonly type: 'release-unknown'
      readonly release: KnownRelease
      readonly reason: UnknownReason | 'unlisted'
    }
  | { readonly type: 'found-on-another-device' }
  /** A record that can't be opened now is about to be replaced; `document` is its JSON text. */
  | { readonly type: 'record-replaced'; readonly document: string }
  /** That record has opened, and `earlier` is what it holds. */
  | {
      readonly type: 'record-opened'
      readonly document: string
      readonly earlier: Vault
      readonly takenOver: (newer: Vault, earlier: Vault, isSignedOut: boolean, nowMs: number) => Vault
    }
  | { readonly type: 'trial-started' }
  /** The service stated its time; `movedMs` is how far that moved the high-water mark, in milliseconds. */
  | { readonly type: 'time-stated'; readonly movedMs: number }

/** What an activation learned about seats that this device may have besides the one it uses. */
export interface SeatEvidence {
  /** Whether the last request that may take a seat was answered, so that only earlier ones may still take effect. */
  readonly isAnswered: boolean
  readonly list: ListEvidence
  /** Whether another key may hold a seat, so that the list must be read once more in any case. */
  readonly mustReadAgain: boolean
}

/** What is known from the list of keys. */
export type ListEvidence =
  /** It was read. `askedAtMs`: when it was requested, in milliseconds on the high-water mark. */
  | { readonly kind: 'read'; readonly askedAtMs: number }
  /** It couldn't be read, or the service itself refused it. */
  | { readonly kind: 'unread' | 'refused' }
  /** The service has none. */
  | { readonly kind: 'needless' }
