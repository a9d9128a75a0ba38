import { type OfflineRequest, writeOfflineRequest } from '@latchkey/services/offline'

/** The request of a computer that never goes online, as its app writes it. */
export function offlineRequest(licenseKey: string, own: Partial<OfflineRequest> = {}): string {
  return writeOfflineRequest({
    app: 'com.example.notes',
    deviceName: 'Lab computer',
    fingerprint: '0123456789abcdef',
    nonce: 'n0nce-n0nce-n0nce-n0nce',
    trustedKeys: [],
    releaseKey: 'k'.repeat(43),
    licenseKey,
    ...own,
  })
}
