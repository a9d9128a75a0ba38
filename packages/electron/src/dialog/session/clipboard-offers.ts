import type { LicensingClient } from '../../renderer/licensing-client.ts'

/** The license keys on the clipboard that the screen offers. */
export interface ClipboardOffers {
  /** Returns the key on the clipboard, masked; `null` if there is none to offer. It never rejects. */
  look(): Promise<string | null>
  /** Remembers a key that isn't offered again. */
  dismiss(maskedKey: string): void
}

/** Creates the offers. Nothing is dismissed yet. */
export function createClipboardOffers(client: LicensingClient): ClipboardOffers {
  let dismissedKey: string | null = null
  return {
    look: () =>
      client.clipboardKey().then(
        (offer) => (offer === null || offer.maskedKey === dismissedKey ? null : offer.maskedKey),
        () => null,
      ),
    dismiss: (maskedKey) => {
      dismissedKey = maskedKey
    },
  }
}
