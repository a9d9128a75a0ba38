import { maskLicenseKey } from '../../shared/license-key-text.ts'

/** License keys that windows were offered masked: what is activated is what was offered, whatever the clipboard holds by then. */
export interface ClipboardOffers {
  /** Remembers a key for a window. @returns the key, masked */
  offer(windowId: number, licenseKey: string): string
  /** The key a window was offered under this mask; `null` when there was none. */
  reveal(windowId: number, maskedKey: string): string | null
  /** Forgets every offer. */
  forget(): void
}

/** One is looked at, another may be tried in another window: more than a few are of no use to anybody. */
const mostOffers = 16

export function createClipboardOffers(): ClipboardOffers {
  const licenseKeys = new Map<string, string>()
  const nameOf = (windowId: number, maskedKey: string): string => `${windowId} ${maskedKey}`

  return {
    offer: (windowId, licenseKey) => {
      const maskedKey = maskLicenseKey(licenseKey)
      const name = nameOf(windowId, maskedKey)
      // Deleted first, so that it counts as the latest.
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
