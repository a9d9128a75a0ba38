import type { LicenseService } from '@latchkey/services'
import type { OfflineProblemCode } from '../shared/offline-problem.ts'

/** What the decisions need from outside. */
export interface LicensingPorts {
  /** The licensing service: the commerce service, a gateway, or another one. */
  readonly service: LicenseService
  readonly store: StorePort
  /** Held while an operation takes or frees a seat, and while the record is written. Set when other processes of this app may use the same record. */
  readonly lock?: LockPort | undefined
  readonly device: DevicePort
  readonly clock: ClockPort
  readonly secrets: SecretsPort
  /** Set when the service or the gateway signs its answers. Then the app is only entitled with a signed answer. */
  readonly leases?: LeasePort | undefined
  /** Loads what activates without internet. Set if the app has an address for it, and `leases`. */
  readonly offline?: (() => Promise<OfflinePort>) | undefined
  /** Looks for a license key that an administrator provided; `null` if there is none now. Never rejects. */
  readonly findProvided?: (() => Promise<ProvidedKey | null>) | undefined
  readonly logger: Logger
  /**
   * Resolves when the app has painted its first window, so that the check at launch doesn't slow down its start.
   * @default resolves at once
   */
  readonly whenPainted?: (() => Promise<void>) | undefined
}

/** A license key that an administrator provided on this computer. */
export interface ProvidedKey {
  /** The text in which to look for the license key. */
  readonly text: string
  /** Where it was found, for people: the name of a variable, or the path of a file. */
  readonly source: string
}

/** Where Latchkey logs what it does. `console` and electron-log both fit. */
export interface Logger {
  debug(message: string): void
  info(message: string): void
  warn(message: string): void
  error(message: string): void
}

/** Time and randomness, so that decisions can be tested. All times are in milliseconds. */
export interface ClockPort {
  /** Wall clock: milliseconds since the epoch. It may jump. */
  now(): number
  /** Monotonic clock: milliseconds since a fixed moment of this process. It never goes backwards. */
  monotonic(): number
  /** A random number in [0, 1), for jitter. */
  random(): number
  /** Calls `callback` once after `delayMs`, without keeping the process alive. @returns a function that cancels it. */
  after(delayMs: number, callback: () => void): () => void
}

/** Where a device's identity comes from: the machine ID, the developer's override, or a persisted random ID. */
export type DeviceIdSource = 'machine-id' | 'override' | 'random'

/** This device's identity. */
export interface DeviceIdentity {
  /** 16 lower-case hex digits: HMAC-SHA-256(app id, machine ID), shortened. */
  readonly fingerprint: string
  /** Readable name, for example the host name. */
  readonly label: string
  readonly source: DeviceIdSource
  /** The random ID if `source` is `random`, otherwise `null`. Keep it and pass it next time. */
  readonly randomId: string | null
  /** The fingerprint of the machine ID, noted once that could be read, if `source` is `random`. It reveals a copy. */
  readonly machine?: string | undefined
}

/** Identifies this device. May start a child process, so keep it off the launch's critical path. */
export interface DevicePort {
  /**
   * Identifies this device. Never rejects, and settles within a few seconds.
   *
   * @param knownRandomId the saved random ID to fall back on; `null` creates a new one.
   */
  identify(knownRandomId: string | null): Promise<DeviceIdentity>
}

/** Keeps several processes of one app with one record from doing the same thing at the same time. */
export interface LockPort {
  /** Waits until no other process holds the lock. Never rejects. Without the lock, the caller continues anyway. */
  acquire(): Promise<LockOutcome>
  /** Stops waiting, now and later, because the app quits. */
  end(): void
}

/** The lock, or why it wasn't acquired. */
export type LockOutcome =
  | { readonly kind: 'held'; readonly release: () => Promise<void> }
  /** `busy`: another process held it for too long. `unavailable`: the folder takes no lock file. `ended`: the app quits. */
  | { readonly kind: 'busy' | 'unavailable' | 'ended' }

/** Why a stored record could not be read. `out-of-reach`: the system doesn't allow reading it now. */
export type StoreFault = 'empty' | 'unreadable' | 'out-of-reach'

/** The content of one file: its JSON, nothing, or why it can't be read. */
export type StoredFile =
  | { readonly found: 'nothing' }
  | { readonly found: 'json'; readonly json: unknown }
  | { readonly found: 'fault'; readonly fault: StoreFault }

/** What both files contain. The last good copy is read synchronously when it is asked for: few launches need it. */
export interface StoredFiles {
  readonly newest: StoredFile
  readonly lastGood: StoredFile
}

/** The result of a write. It is returned, never thrown. */
export type WriteOutcome =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: 'store-not-writable' | 'disk-full' }

/** The record on disk as JSON: the newest and its last good copy. No call throws or rejects. */
export interface StorePort {
  /** Reads the newest file synchronously, because the launch decision waits for it. */
  read(): StoredFiles
  /**
   * Writes the record atomically, then its copy.
   *
   * @param mayReplace called when the record is ready to replace the file, synchronously before it does. If it returns
   * `false`, nothing changes, and that isn't a failure. @default returns `true`
   * @param onReplaced called once, synchronously after it replaced the file. Not called if it didn't.
   */
  write(json: JsonObject, mayReplace?: () => boolean, onReplaced?: () => void): Promise<WriteOutcome>
  /**
   * Writes the record atomically and synchronously, without a copy, because the process is about to exit.
   * Does nothing before the first {@link StorePort.write}.
   *
   * @param mayReplace as for {@link StorePort.write}.
   * @param onReplaced as for {@link StorePort.write}.
   */
  writeNow(json: JsonObject, mayReplace: () => boolean, onReplaced?: () => void): void
  /**
   * Renames the newest file synchronously. It is never deleted.
   *
   * @param owner fingerprint of the other device that it belongs to. Its earlier record under that name is replaced.
   */
  setAside(owner?: string): void
  /** Reads what was set aside for this device. */
  readSetAside(owner: string): StoredFile
}

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: JsonValue
}

/** Any JSON value. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject

/** How a text was sealed: see `StorageTier`. */
export type SealTier = 'keychain' | 'basic' | 'plain'

/** A sealed text, and how it was sealed. */
export interface SealedText {
  readonly tier: SealTier
  readonly sealed: string
}

/** Seals and opens text with the operating system's encryption. No call throws or rejects. */
export interface SecretsPort {
  /**
   * Seals text as well as this system can.
   * `plain` returns the text unchanged, and the caller adds {@link SecretsPort.authenticate}.
   */
  seal(text: string): Promise<SealedText>
  /**
   * Seals text synchronously, because the process is about to exit.
   * @returns `null` if this system can't do so without waiting.
   */
  sealNow(text: string): SealedText | null
  /** Opens sealed text; `null` if it can't be opened on this system. */
  open(tier: SealTier, sealed: string): Promise<string | null>
  /**
   * Calls `listener` when a keychain that timed out answers after all, so that `open` may now succeed.
   * @returns a function that removes the listener.
   */
  onAnswer?(listener: () => void): () => void
  /**
   * Whether a keychain that timed out hasn't answered yet, so that `open` may succeed soon. Absent if the keychain always
   * answers in time.
   */
  isAnswerAwaited?(): boolean
  /** Returns the hex HMAC-SHA-256 of a text, with a key bound to the app and the device fingerprint. */
  authenticate(fingerprint: string, text: string): string
}

/**
 * The content of a lease, or of an answer that a service signed, with a valid signature. Times are milliseconds since the
 * epoch, by the signer's clock.
 */
export interface Lease {
  /** The signed text as received, so that it can be stored and verified again at the next launch. */
  readonly jws: string
  /** Fingerprint of the device it was issued to; `null` for an activation that is gone. */
  readonly fingerprint: string | null
  readonly isEntitled: boolean
  /** Whether the license had ended by then. Then the lease doesn't entitle. */
  readonly hasEnded: boolean
  readonly issuedAtMs: number
  readonly expiresAtMs: number
  readonly license: SignedTerms
}

/** What a lease says about the license. */
export interface SignedTerms {
  /** When the license ends, as the service sent it; `null` if it has no end. */
  readonly expiresAt: string | null
  /** `null` if the lease names none. */
  readonly plan: string | null
  /** Empty if the lease names none. */
  readonly features: readonly string[]
}

/** The activation that a stored statement must be about. */
export interface LeaseSubject {
  readonly licenseKey: string
  readonly activationId: string
  /** The device that the record names. A service's signed answer names it too, and no activation. */
  readonly fingerprint: string
}

/** Verifies that a lease comes from the gateway, or a signed answer from the service. */
export interface LeasePort {
  /**
   * Verifies a lease: it must be signed by a trusted key and be about this activation. The core decides whether it has
   * ended and whether it was issued to this device.
   *
   * @returns `null` if the lease can't be trusted; never throws or rejects.
   */
  verify(jws: string, subject: LeaseSubject): Lease | null | Promise<Lease | null>
  /**
   * Does the same for the stored answer to a computer without internet, which never passes for a lease. Absent if there
   * can be none.
   */
  verifyOffline?(jws: string, subject: LeaseSubject): Lease | null
}

/** What a request of a computer without internet says about this device. */
export interface OfflineRequestFacts {
  readonly licenseKey: string
  readonly fingerprint: string
  readonly label: string
  readonly nonce: string
  /** The secret of the release code. */
  readonly secret: string
  /** IDs of this device's activations whose release codes may still be used. The answer must be about another one. */
  readonly leaves: readonly string[]
}

/** What an answer says about the license. */
export interface OfflineLicense extends SignedTerms {
  readonly activationLimit: number | null
  readonly activationUsage: number | null
}

/** An answer with a valid signature. Times are milliseconds since the epoch, by the clock of who signed it. */
export interface OfflineAnswer {
  /** The signed text, to be stored and verified again at the next launch. */
  readonly jws: string
  /** Whether it was signed for this app. */
  readonly isForThisApp: boolean
  readonly activationId: string
  readonly fingerprint: string
  readonly nonce: string
  readonly issuedAtMs: number
  readonly expiresAtMs: number
  readonly license: OfflineLicense
  /** Whether it is about this license. */
  isAbout(licenseKey: string): boolean
}

/** An answer, or why the text has none that can be trusted. */
export type OfflineReading =
  | { readonly ok: true; readonly answer: OfflineAnswer }
  | { readonly ok: false; readonly code: OfflineProblemCode }

/** Writes requests of computers without internet, and reads the answers. */
export interface OfflinePort {
  /** Returns a text that no one can guess. */
  createNonce(): string
  /** Returns a new secret for a release code. A request contains its public part only. */
  createSecret(): string
  /** Returns the request as text, and as a link to the page that answers it. */
  writeRequest(facts: OfflineRequestFacts): Promise<{ readonly text: string; readonly link: string }>
  /** Verifies the signature. The core decides whether the answer is for this device and request. Never throws. */
  readAnswer(text: string): OfflineReading
  /**
   * Returns the address of the page with the release code of a deactivated device; `null` if its answer can't have one.
   *
   * @param answer the answer that activated this device, and the secret of its request.
   */
  writeRelease(answer: { readonly jws: string; readonly secret: string }, nowMs: number): string | null
}
