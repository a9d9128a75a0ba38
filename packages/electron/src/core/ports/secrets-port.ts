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
