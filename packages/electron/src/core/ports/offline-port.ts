import type { OfflineProblemCode } from '../../shared/offline-problem.ts'

/** What an answer says about the license. */
export interface OfflineLicense {
  readonly activationLimit: number | null
  readonly activationUsage: number | null
  readonly expiresAt: string | null
  readonly suspendedAt: string | null
  readonly status: string
  readonly plan: string | null
  readonly features: readonly string[]
}

/** What a request says about this device. */
export interface OfflineRequestFacts {
  readonly licenseId: string
  readonly fingerprint: string
  readonly label: string
  readonly nonce: string
  /** The secret of the release code. */
  readonly secret: string
  /** IDs of this device's keys whose release codes may still be used. The answer must be about another key. */
  readonly leaves: readonly string[]
}

/** An answer with a valid signature. Times are milliseconds since the epoch, by the clock of who signed it. */
export interface OfflineAnswer {
  /** The signed text, to be stored and verified again at the next launch. */
  readonly jws: string
  /** Whether it was signed for this app. */
  readonly isForThisApp: boolean
  readonly keyId: string
  readonly fingerprint: string
  readonly nonce: string
  readonly issuedAtMs: number
  readonly expiresAtMs: number
  readonly license: OfflineLicense
  /** Whether it is about this license. */
  isAbout(licenseId: string): boolean
}

/** An answer, or why the text has none that can be trusted. */
export type OfflineReading =
  | { readonly ok: true; readonly answer: OfflineAnswer }
  | { readonly ok: false; readonly code: OfflineProblemCode }

/** What a release code is made of: the answer that activated this device, and the secret of its request. */
export interface OfflineRelease {
  readonly jws: string
  readonly secret: string
}

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
   * Returns the address of the page with the release code of a deactivated device; `null` if its answer has no ticket for
   * one.
   */
  writeRelease(answer: OfflineRelease, nowMs: number): string | null
}
