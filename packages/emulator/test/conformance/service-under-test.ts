import { type CommerceClient, createCommerceClient } from '@latchkey/commerce'
import { type Emulator, startEmulator } from '../../src/index.ts'
import { type RawRequests, rawRequests } from '../raw-requests.ts'

/** A request as the client sent it. */
export interface SentRequest {
  method: string
  url: URL
  headers: Headers
  body: string
}

/** The service that is tested, through the client and without it. */
export interface ServiceUnderTest {
  baseUrl: string
  accessToken: string
  /** A license with at least two free seats. */
  licenseId: string
  /** `null` if the service isn't the emulator. Rows that need its control are skipped. */
  emulator: Emulator | null
  commerce: CommerceClient
  raw: RawRequests
  /** The requests of the client so far. */
  sent: SentRequest[]
  close(): Promise<void>
}

/**
 * The emulator, or the service that these variables name: `LATCHKEY_CONFORMANCE_URL` (ending in `/v1`),
 * `LATCHKEY_CONFORMANCE_TOKEN` and `LATCHKEY_CONFORMANCE_LICENSE` (a license with two free seats; they are free again
 * afterwards).
 */
export async function openServiceUnderTest(): Promise<ServiceUnderTest> {
  const {
    LATCHKEY_CONFORMANCE_URL: baseUrl,
    LATCHKEY_CONFORMANCE_TOKEN: accessToken = '',
    LATCHKEY_CONFORMANCE_LICENSE: licenseId = '',
  } = process.env
  if (baseUrl !== undefined) return connect({ baseUrl, accessToken, licenseId, emulator: null })
  const emulator = await startEmulator({ accessToken: 'demo', customers: 60, discounts: 120 })
  const service = connect({
    baseUrl: emulator.baseUrl,
    accessToken: emulator.accessToken ?? '',
    licenseId: emulator.demoLicense.id,
    emulator,
  })
  return { ...service, close: emulator.close }
}

function connect(
  target: Pick<ServiceUnderTest, 'baseUrl' | 'accessToken' | 'licenseId' | 'emulator'>,
): ServiceUnderTest {
  const { baseUrl, accessToken, licenseId } = target
  const sent: SentRequest[] = []
  const commerce = createCommerceClient({
    baseUrl,
    accessToken,
    timeout: 60_000,
    fetch: async (request, init) => {
      const { method, headers } = request
      sent.push({ method, url: new URL(request.url), headers, body: await request.clone().text() })
      return fetch(request, init)
    },
  })
  const raw = rawRequests({ baseUrl, accessToken, demoLicense: { id: licenseId } })
  return { ...target, commerce, raw, sent, close: async () => {} }
}
