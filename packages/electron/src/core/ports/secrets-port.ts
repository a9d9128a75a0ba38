/** How a text was sealed: see `StorageTier`. */
export type SealTier = 'keychain' | 'basic' | 'plain'

/** Seals and opens texts with what the operating system offers. No call throws or rejects. */
export interface SecretsPort {
  /**
   * Seals a text as well as this system can.
   * `plain` returns the text as it is: the caller adds {@link SecretsPort.authenticate}.
   */
  seal(text: string): Promise<{ readonly tier: SealTier; readonly sealed: string }>
  /** Opens what `seal` made; `null` when it cannot be opened on this system. */
  open(tier: SealTier, sealed: string): Promise<string | null>
  /**
   * Calls back when a keychain that did not answer in time has answered after all: `open` knows more than before.
   * @returns stops that.
   */
  onAnswer?(listener: () => void): () => void
  /** Hex HMAC-SHA-256 of a text under a key bound to the app and the device fingerprint. */
  authenticate(fingerprint: string, text: string): string
}
