import type { Problem } from './problem.ts'

/** What the app may do, in one word. See {@link LicensingState} for what comes with each. */
export type LicensingStatus =
  | 'unlicensed'
  | 'trial'
  | 'active'
  | 'grace'
  | 'unverified'
  | 'expired'
  | 'suspended'
  | 'inactive'
  | 'revoked'

/** What Latchkey is doing at this moment. */
export type LicensingActivity = 'idle' | 'activating' | 'validating' | 'deactivating'

/**
 * How well the record on disk is protected, named honestly.
 *
 * - `keychain`: encrypted with a key held by the operating system's keychain.
 * - `basic`: encrypted, but with a key any program of this user could derive (Linux without a keyring).
 * - `plain`: readable; edits are made evident by an HMAC bound to this device and app.
 * - `memory`: it could not be written; what changed since the last write is forgotten when the app quits.
 */
export type StorageTier = 'keychain' | 'basic' | 'plain' | 'memory'

/** The license as a window may know it: never the full license key. */
export interface LicenseSummary {
  /** First and last characters of the license key, enough to recognise it: `1f0a••••9c1d`. */
  readonly maskedKey: string
  /** Maximum number of devices, by the service's last word; `null` when it did not say. */
  readonly activationLimit: number | null
  /** Number of devices in use, by the service's last word; `null` when it did not say. */
  readonly activationUsage: number | null
  /** When the license ends, ISO 8601 UTC; `null` for a license without end. */
  readonly expiresAt: string | null
}

/** This computer, as it appears in a device list. */
export interface DeviceSummary {
  /** Readable name, for example the host name. */
  readonly label: string
  /** 16 hex digits: stable for this machine and app, not linkable across vendors. */
  readonly fingerprint: string
}

/** What every state carries, whatever its status. */
export interface LicensingStateBase {
  /** What Latchkey is doing right now. */
  readonly activity: LicensingActivity
  /** The last trouble, with a stable code and a sentence that says what to do; `null` when there is none. */
  readonly problem: Problem | null
  /** How well the record on disk is protected. */
  readonly storage: StorageTier
  /** The license activated here; `null` when there is none. */
  readonly license: LicenseSummary | null
  /** This computer; `null` until it was identified for the first time. */
  readonly device: DeviceSummary | null
  /** When the service last gave a definite answer, ISO 8601 UTC; `null` when it never did. */
  readonly checkedAt: string | null
}

/**
 * The one thing an app looks at. `entitled` is the only boolean it needs; the rest is for telling the user.
 *
 * A state is plain data and frozen: it travels over IPC as it is, and a new object means that something changed.
 */
export type LicensingState = LicensingStateBase &
  (
    | { readonly status: 'unlicensed'; readonly entitled: false }
    /** A trial the developer asked for. `trialEndsAt` is ISO 8601 UTC. */
    | { readonly status: 'trial'; readonly entitled: true; readonly trialEndsAt: string }
    /** The service's last word: valid. */
    | { readonly status: 'active'; readonly entitled: true }
    /**
     * The last word was valid and the service is unreachable, or the license's end passed and nobody could ask whether it
     * was renewed. `graceEndsAt` is ISO 8601 UTC.
     */
    | { readonly status: 'grace'; readonly entitled: true; readonly graceEndsAt: string }
    /** Grace is over; one successful check brings `active` back without the user typing anything. */
    | { readonly status: 'unverified'; readonly entitled: false }
    | { readonly status: 'expired'; readonly entitled: false }
    | { readonly status: 'suspended'; readonly entitled: false }
    /** The service reports a status that is not ACTIVE: `rawStatus` is that word as it came. */
    | { readonly status: 'inactive'; readonly entitled: false; readonly rawStatus: string }
    /** This device's key is gone: its seat was freed from another device. */
    | { readonly status: 'revoked'; readonly entitled: false }
  )
