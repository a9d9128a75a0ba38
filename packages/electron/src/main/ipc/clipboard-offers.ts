import { maskLicenseKey } from '../../shared/license-key-text.ts'

/**
 * License keys offered to windows in masked form. Activation uses the offered key even if the clipboard has changed.
 */
export interface ClipboardOffers {
  /** Remembers a key for a window. @returns the masked key */
  offer(windowId: number, licenseKey: string): string
  /** Returns the key offered to a window under this mask; `null` if there is none. */
  reveal(windowId: number, maskedKey: string): string | null
  /** Forgets every offer. */
  forget(): void
}

/** How many offers to keep, since several windows may have one. */
const mostOffers = 16

export function createClipboardOffers(): ClipboardOffers {
  const licenseKeys = new Map<string, string>()
  const nameOf = (windowId: number, maskedKey: string): string => `${windowId} ${maskedKey}`

  return {
    offer: (windowId, licenseKey) => {
      const maskedKey = maskLicenseKey(licenseKey)
      const name = nameOf(windowId, maskedKey)
      // Delete it first, so that it becomes the newest entry.
      licenseKeys.delete(name)
      licenseKeys.set(name, licenseKey)
      const [oldest] = licenseKeys.keys()
      if (oldest !== undefined && licenseKeys.size > mostOffers) licenseKeys.delete(oldest)
      return maskedKey
    },
    reveal: (windowId, maskedKey) => licenseKeys.get(nameOf(windowId, maskedKey)) ?? null,
    forget: () => licenseKeys.clear(),
  }
}
